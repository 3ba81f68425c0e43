"""invariants: columns that may not be null, or that must satisfy an expression stored with the column.

Only columns outside arrays and maps count: Delta does not enforce anything below those.
"""

from __future__ import annotations

from types import NoneType

import msgspec

from deltaresolver.errors import SchemaMalformedError
from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.rules import AnyOf, FieldHasMetadata, FieldNotNull
from deltaresolver.model.schema import Place, StructField
from deltaresolver.plugins import hookimpl

KEY = "delta.invariants"


def ensure_readable(field: StructField) -> None:
    """A column's stored invariant is the JSON it should be. Raises `SchemaMalformedError`.

    That of a column that may not be null anyway is never read, as delta-spark does not.
    """
    if not field.nullable:
        return
    text = (field.metadata or {})[KEY]
    try:
        rule = msgspec.json.decode(text)
    except (msgspec.DecodeError, TypeError) as error:
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
        f"Column {field.name} has {KEY} {text!r}, which holds no expression.",
        fix='Write {"expression": {"expression": "CONDITION"}}, or better a CHECK constraint.',
        details={"column": field.name, "value": repr(text)},
        delta_class=delta_class,
        delta_condition=condition,
    )


@hookimpl
def table_feature() -> TableFeature:
    """Declare invariants."""
    return TableFeature(
        name="invariants",
        kind=FeatureKind.WRITER,
        summary="NOT NULL columns and expressions stored with a column are enforced on write.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#column-invariants",
        legacy=LegacyVersion(0, 2, check_order=1),
        # Expressions first: one that cannot be read is an error even if another column is NOT NULL.
        trigger=AnyOf(
            (FieldHasMetadata((KEY,), Place.STRUCT, ensure_readable=ensure_readable), FieldNotNull(Place.STRUCT))
        ),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
    )
