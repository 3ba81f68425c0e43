"""identityColumns: columns to which the writer gives increasing or decreasing numbers.

An identity column has start, step and explicit-insert flag in its metadata; a column with only some of them is an
error.
"""

from __future__ import annotations

from collections.abc import Sequence

from deltaresolver.errors import SchemaMalformedError
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, Winner
from deltaresolver.model.facts.columns import IDENTITY_KEYS, identity_mark, identity_step
from deltaresolver.model.facts.keys import IDENTITY, IDENTITY_HIGH_WATER_MARK, IDENTITY_UPDATE_TAG
from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource
from deltaresolver.model.rules import ColumnEvidence, Custom, Evidence, Hints, Remedy
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.model.support import Support
from deltaresolver.model.view import TableView
from deltaresolver.plugins import hookimpl

WORDS = f"a column carries metadata {', '.join(IDENTITY_KEYS)}"
REMEDY = Remedy("Recreate the table without identity columns: a column cannot stop being one.")


def identity_columns(view: TableView) -> tuple[Evidence, ...]:
    """The identity columns of the table.

    Raises `SchemaMalformedError` for one that is incomplete, unless a complete one comes before it, as in delta-spark,
    which stops at the first one.
    """
    found: list[Evidence] = []
    for field in view.schema.fields:
        present = [key for key in IDENTITY_KEYS if key in (field.metadata or {})]
        if len(present) == len(IDENTITY_KEYS):
            found.extend(ColumnEvidence((field.name,), f"metadata {key}") for key in IDENTITY_KEYS)
        elif present and not found:
            missing = [key for key in IDENTITY_KEYS if key not in present]
            raise SchemaMalformedError(
                f"Identity column {field.name} has {', '.join(present)} but lacks {', '.join(missing)}.",
                fix=f"Give column {field.name} all three identity properties, or none.",
                details={"column": field.name, "present": present, "missing": missing},
                delta_class="DeltaAnalysisException",
                delta_condition="DELTA_IDENTITY_COLUMN_INCONSISTENT_METADATA",
            )
    return tuple(found)


class IdentityColumnsBehaviour(FeatureBehaviour):
    """Numbers rows, and lets a draft pass commits that only change high-water marks of identity columns."""

    def column_expressions(self, metadata: Metadata) -> Sequence[ColumnExpression]:
        """One expression for each identity column; start and step are in its field's metadata."""
        return [
            ColumnExpression(field.name, ColumnSource.IDENTITY)
            for field in metadata.schema.fields
            if all(key in (field.metadata or {}) for key in IDENTITY_KEYS)
        ]

    def amend_draft(self, draft: Draft) -> Draft:
        """Tag a commit whose metadata only changes high-water marks, for the rows that it writes.

        Metadata given by a caller gets no tag: replacing a table sets the marks back.
        """
        if not draft.metadata_follows_data or draft.before.is_new or draft.metadata == draft.before.metadata:
            return draft
        unmarked = draft.metadata.with_schema(without_high_water_marks(draft.metadata.schema))
        before = draft.before.metadata.with_schema(without_high_water_marks(draft.before.metadata.schema))
        if draft.metadata.schema == draft.before.metadata.schema or unmarked != before:
            return draft
        return draft.with_tag(IDENTITY_UPDATE_TAG, "true")

    def restore_metadata(self, restored: Metadata, latest: Metadata) -> Metadata:
        """Keep the latest high-water marks when a table is restored, so that no value is given twice."""
        return restored.with_schema(with_farthest_marks(restored.schema, latest.schema))

    def settle_metadata(self, draft: Draft, winner: Winner) -> Draft | None:
        """Accept a winner that only changes high-water marks, for a draft that does not change metadata."""
        return draft if winner.tags.get(IDENTITY_UPDATE_TAG) == "true" else None


def without_high_water_marks(schema: StructType) -> StructType:
    """The schema without the high-water marks of identity columns."""
    return StructType(
        tuple(
            StructField(
                field.name,
                field.type,
                field.nullable,
                {key: value for key, value in (field.metadata or {}).items() if key != IDENTITY_HIGH_WATER_MARK},
            )
            for field in schema.fields
        )
    )


def with_farthest_marks(schema: StructType, other: StructType) -> StructType:
    """The schema with, for each identity column, the high-water mark of the schema that has counted farther.

    Raises `SchemaMalformedError`.
    """
    others = {field.name.lower(): field for field in other.fields}
    return StructType(
        tuple(_with_farther_mark(field, others.get(field.name.lower(), field)) for field in schema.fields)
    )


def _with_farther_mark(field: StructField, other: StructField) -> StructField:
    own = field.metadata or {}
    if IDENTITY_HIGH_WATER_MARK not in (other.metadata or {}) or not all(key in own for key in IDENTITY_KEYS):
        return field
    marks = [mark for mark in (identity_mark(field), identity_mark(other)) if mark is not None]
    if not marks:
        return field
    mark = max(marks) if identity_step(field) > 0 else min(marks)
    return StructField(field.name, field.type, field.nullable, {**own, IDENTITY_HIGH_WATER_MARK: mark})


@hookimpl
def table_feature() -> TableFeature:
    """Declare identityColumns."""
    return TableFeature(
        name="identityColumns",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=6,
        summary="Columns are numbered automatically on write.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#identity-columns",
        legacy=LegacyVersion(0, 6, check_order=6, refusal="IDENTITY column is not supported"),
        trigger=Custom(
            identity_columns, remedy=REMEDY, where=Hints(schema_markers=frozenset((IDENTITY,))), words=WORDS
        ),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        behaviour=IdentityColumnsBehaviour(),
        support=Support(),
    )
