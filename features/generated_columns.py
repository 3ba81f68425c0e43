"""generatedColumns: columns whose value is computed from other columns when a row is written.

Only columns of the table itself can be generated, not fields nested in them.
"""

from __future__ import annotations

from collections.abc import Sequence

from deltaresolver.model.behaviour import FeatureBehaviour
from deltaresolver.model.facts.keys import GENERATION_EXPRESSION
from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource
from deltaresolver.model.rules import FieldHasMetadata
from deltaresolver.model.schema import Place
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl


class GeneratedColumnsBehaviour(FeatureBehaviour):
    """Computes columns from others when rows are written."""

    def column_expressions(self, metadata: Metadata) -> Sequence[ColumnExpression]:
        """One expression for each generated column."""
        return [
            ColumnExpression(field.name, ColumnSource.GENERATED, str((field.metadata or {})[GENERATION_EXPRESSION]))
            for field in metadata.schema.fields
            if GENERATION_EXPRESSION in (field.metadata or {})
        ]


@hookimpl
def table_feature() -> TableFeature:
    """Declare generatedColumns."""
    return TableFeature(
        name="generatedColumns",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=4,
        summary="Column values are computed from other columns on write.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#generated-columns",
        legacy=LegacyVersion(0, 4, check_order=4),
        trigger=FieldHasMetadata((GENERATION_EXPRESSION,), Place.TOP),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        behaviour=GeneratedColumnsBehaviour(),
        support=Support(),
    )
