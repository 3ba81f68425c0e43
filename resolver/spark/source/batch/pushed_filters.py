"""Filters that Spark pushes down: as SQL for choosing files, and as Arrow expressions for choosing rows.

Both only leave out what cannot match; Spark applies every filter again.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.model.schema import quoted

if TYPE_CHECKING:
    from pyspark.sql.datasource import Filter

_OPERATORS = {
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
}
_COMPARED: Mapping[str, Callable[[pc.Expression, Any], pc.Expression]] = {
    "EqualTo": lambda column, value: column == value,
    "GreaterThan": lambda column, value: column > value,
    "GreaterThanOrEqual": lambda column, value: column >= value,
    "LessThan": lambda column, value: column < value,
    "LessThanOrEqual": lambda column, value: column <= value,
}
_WILD = str.maketrans({"%": r"\%", "_": r"\_", "\\": r"\\"})


def as_sql(filters: Iterable[Filter]) -> str | None:
    """Those of the filters that SQL can say, joined by AND."""
    parts = [text for each in filters if (text := _sql(each)) is not None]
    return " AND ".join(f"({part})" for part in parts) or None


def _sql(filter_: Any) -> str | None:
    name = type(filter_).__name__
    if name == "Not":
        inside = _sql(filter_.child)
        return None if inside is None else f"NOT ({inside})"
    column = ".".join(quoted(part) for part in filter_.attribute)
    if name in ("IsNull", "IsNotNull"):
        return f"{column} IS {'NOT ' if name == 'IsNotNull' else ''}NULL"
    if name == "In":
        values = [_literal(value) for value in filter_.value]
        return None if None in values or not values else f"{column} IN ({', '.join(map(str, values))})"
    if name == "StringStartsWith" and isinstance(filter_.value, str):
        text = _literal(filter_.value.translate(_WILD) + "%")
        return None if "\\" in filter_.value else f"{column} LIKE {text}"
    value = _literal(filter_.value) if name in _OPERATORS else None
    return None if value is None else f"{column} {_OPERATORS[name]} {value}"


def _literal(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, decimal.Decimal):
        # With an exponent it would be a binary fraction.
        return format(value, "f")
    if isinstance(value, str):
        return quoted_text(value)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            return f"TIMESTAMP_NTZ '{value.isoformat(sep=' ')}'"
        return f"TIMESTAMP '{value.astimezone(datetime.UTC).isoformat(sep=' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    return None


def as_expression(filters: Sequence[Filter], schema: pa.Schema) -> pc.Expression | None:
    """Those of the filters that Arrow judges exactly as Spark does.

    Fractions are left out: for Spark NaN is greater than any number, for Arrow it is not.
    """
    parts = [found for each in filters if (found := _expression(each, schema)) is not None]
    return reduce(lambda left, right: left & right, parts) if parts else None


def _expression(filter_: Any, schema: pa.Schema) -> pc.Expression | None:
    attribute: tuple[str, ...] = getattr(filter_, "attribute", ())
    name = type(filter_).__name__
    if len(attribute) != 1 or schema.get_field_index(attribute[0]) < 0:
        return None
    column, kind = pc.field(attribute[0]), schema.field(attribute[0]).type
    if name == "IsNotNull":
        return column.is_valid()
    if name == "IsNull":
        return column.is_null()
    if not _is_judged_alike(kind):
        return None
    try:
        if name == "In":
            return column.isin(pa.array(filter_.value, kind))
        if name in _COMPARED:
            return _COMPARED[name](column, pa.scalar(filter_.value, kind))
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None
    return pc.starts_with(column, filter_.value) if name == "StringStartsWith" else None


def _is_judged_alike(kind: pa.DataType) -> bool:
    checks = (pa.types.is_integer, pa.types.is_string, pa.types.is_date, pa.types.is_timestamp)
    return any(check(kind) for check in checks)
