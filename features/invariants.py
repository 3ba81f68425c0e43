"""invariants: columns that may not be null, or that must satisfy an expression stored with the column.

Only columns outside arrays and maps count: Delta does not enforce anything below those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import NoneType

import msgspec

from deltaresolver.errors import SchemaMalformedError
from deltaresolver.model.behaviour import FeatureBehaviour
from deltaresolver.model.facts.keys import INVARIANTS
from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.row_rules import RowCondition, RowRuleKind
from deltaresolver.model.rules import AnyOf, FieldHasMetadata, FieldNotNull
from deltaresolver.model.schema import FieldPath, Place, StructField, StructType, quote_path, quoted
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl


def ensure_readable(field: StructField) -> None:
    """Check that a column's stored invariant is valid JSON. Raises `SchemaMalformedError`.

    The invariant of a NOT NULL column is not read, as in delta-spark.
    """
    if not field.nullable:
        return
    text = (field.metadata or {})[INVARIANTS]
    try:
        rule = msgspec.json.decode(text)
    except (msgspec.DecodeError, TypeError, RecursionError) as error:
        raise _unreadable(field, text) from error
    if not isinstance(rule, dict):
        raise _unreadable(field, text)
    persisted = rule.get("expression")
    if persisted is None:
        raise _unreadable(field, text, "DeltaUnsupportedOperationException", "DELTA_UNRECOGNIZED_INVARIANT")
    if not isinstance(persisted, dict) or isinstance(persisted.get("expression"), dict | list | NoneType):
        raise _unreadable(field, text)


def _unreadable(
    field: StructField, text: object, delta_class: str = "MismatchedInputException", condition: str | None = None
) -> SchemaMalformedError:
    return SchemaMalformedError(
        f"Column {field.name} has {INVARIANTS} {text!r}, which holds no expression.",
        fix='Write {"expression": {"expression": "CONDITION"}}, or better a CHECK constraint.',
        details={"column": field.name, "value": repr(text)},
        delta_class=delta_class,
        delta_condition=condition,
    )


class InvariantsBehaviour(FeatureBehaviour):
    """Checks rows for NOT NULL and for the expressions stored with columns."""

    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        """One condition for each column that is NOT NULL or that stores an expression."""
        return list(_conditions(metadata.schema, ()))


def _conditions(struct: StructType, parent: FieldPath) -> Iterator[RowCondition]:
    for field in struct.fields:
        path = (*parent, field.name)
        if not field.nullable:
            yield RowCondition(quote_path(path), _not_null(path), (path,), RowRuleKind.NOT_NULL)
        elif INVARIANTS in (field.metadata or {}):
            ensure_readable(field)
            sql = str(msgspec.json.decode((field.metadata or {})[INVARIANTS])["expression"]["expression"])
            yield RowCondition(quote_path(path), sql, (path,), RowRuleKind.CHECK)
        if isinstance(field.type, StructType):
            yield from _conditions(field.type, path)


def _not_null(path: FieldPath) -> str:
    return f"{'.'.join(quoted(name) for name in path)} IS NOT NULL"


@hookimpl
def table_feature() -> TableFeature:
    """Declare invariants."""
    return TableFeature(
        name="invariants",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=2,
        summary="NOT NULL columns and expressions stored with a column are enforced on write.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#column-invariants",
        legacy=LegacyVersion(0, 2, check_order=1),
        # Expressions first: one that cannot be read is an error even if another column is NOT NULL.
        trigger=AnyOf(
            (FieldHasMetadata((INVARIANTS,), Place.STRUCT, ensure_readable=ensure_readable), FieldNotNull(Place.STRUCT))
        ),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        behaviour=InvariantsBehaviour(),
        support=Support(),
    )
