"""allowColumnDefaults: columns may declare a default that writers fill in.

Nothing in the metadata enables it: it must be asked for by name before defaults are declared.
"""

from __future__ import annotations

from collections.abc import Sequence

from deltaresolver.errors import SchemaRuleError
from deltaresolver.model.behaviour import Draft, FeatureBehaviour
from deltaresolver.model.facts.keys import COLUMN_DEFAULT
from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource
from deltaresolver.model.schema import FieldPath, StructField, quote_path, walk_fields
from deltaresolver.model.support import LogTraces, Support
from deltaresolver.plugins import hookimpl

KEYS = frozenset({COLUMN_DEFAULT, "EXISTS_DEFAULT"})
CREATIONS = ("CREATE TABLE", "REPLACE", "CREATE OR REPLACE")
"""The beginnings of names of operations that declare all columns of a table."""
COLUMN_CHANGES = frozenset({"CHANGE COLUMN", "CHANGE COLUMNS", "UPDATE SCHEMA"})


class AllowColumnDefaultsBehaviour(FeatureBehaviour):
    """Fills in defaults, and refuses them for tables that do not support the feature."""

    def column_expressions(self, metadata: Metadata) -> Sequence[ColumnExpression]:
        """One expression for each column that declares a default."""
        return [
            ColumnExpression(field.name, ColumnSource.DEFAULT, str((field.metadata or {})[COLUMN_DEFAULT]))
            for field in metadata.schema.fields
            if COLUMN_DEFAULT in (field.metadata or {})
        ]

    def check_draft_without(self, draft: Draft) -> None:
        """Raise `SchemaRuleError` for an operation that declares a default."""
        name = draft.operation.name
        if not draft.changes_metadata or not (name.startswith(CREATIONS) or name in COLUMN_CHANGES):
            return
        known = [] if name.startswith(CREATIONS) else _defaults(draft.before.metadata)
        declared = [quote_path(path) for path, field in _defaults(draft.metadata) if (path, field) not in known]
        if declared:
            raise SchemaRuleError(
                f"{name} declares a default for {', '.join(declared)}, which the table does not support.",
                fix="First set delta.feature.allowColumnDefaults to supported.",
                details={"columns": declared, "operation": name},
                delta_condition="WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED",
            )


def _defaults(metadata: Metadata) -> list[tuple[FieldPath, StructField]]:
    """The columns that declare a default, nested ones too."""
    found = walk_fields(metadata.schema)
    return [(path, field) for path, field in found if not KEYS.isdisjoint(field.metadata or {})]


@hookimpl
def table_feature() -> TableFeature:
    """Declare allowColumnDefaults."""
    return TableFeature(
        name="allowColumnDefaults",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="Columns can declare default values.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#default-columns",
        aborts_concurrent_writers=True,
        behaviour=AllowColumnDefaultsBehaviour(),
        support=Support(),
        traces=LogTraces(metadata=True),
    )
