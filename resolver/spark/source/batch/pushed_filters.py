"""Filters that Spark pushes down: as conditions for choosing files, and as Arrow expressions for choosing rows.

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

from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.text.written import written
from deltaresolver.model.schema import quoted
from deltaresolver.spark.parquet_calendar import may_be_another_day

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


def reliable(filters: Iterable[Filter]) -> list[Filter]:
    """The filters whose values are surely those that the query compares with."""
    return [each for each in filters if not may_be_another_day(_value(each))]


def _value(filter_: Any) -> object:
    while type(filter_).__name__ == "Not":
        filter_ = filter_.child
    return getattr(filter_, "value", None)


def as_sql(filters: Iterable[Filter]) -> str | None:
    """Those of the filters that conditions can hold, joined by AND."""
    parts = [f"({written(tree)})" for each in filters if (tree := as_tree(each)) is not None]
    return " AND ".join(parts) or None


def as_tree(filter_: Any) -> nodes.Node | None:
    """A filter as a tree; None for one that is left to Spark."""
    name = type(filter_).__name__
    if name == "Not":
        inside = as_tree(filter_.child)
        return None if inside is None else nodes.Negated(inside)
    column = nodes.NamedColumn(tuple(filter_.attribute), tuple(quoted(part) for part in filter_.attribute))
    if name in ("IsNull", "IsNotNull"):
        check = nodes.NullCheck(column)
        return check if name == "IsNull" else nodes.Negated(check)
    if name == "In":
        members = tuple(found for value in filter_.value if (found := _literal(value)) is not None)
        return nodes.In(column, members) if members and len(members) == len(filter_.value) else None
    if name == "StringStartsWith" and isinstance(filter_.value, str):
        pattern = nodes.Literal.of_text(filter_.value.translate(_WILD) + "%")
        return None if "\\" in filter_.value else nodes.Like(column, (pattern,))
    literal = _literal(filter_.value) if name in _OPERATORS else None
    return None if literal is None else nodes.Compared(_OPERATORS[name], column, literal)


def _literal(value: Any) -> nodes.Node | None:
    if isinstance(value, bool):
        return nodes.Literal(value, "boolean")
    if isinstance(value, int):
        found = nodes.Literal(abs(value), "integer" if abs(value) < 1 << 31 else "long", str(abs(value)))
        return nodes.Call("negative", (found,), ("-", 0)) if value < 0 else found
    if isinstance(value, decimal.Decimal):
        # With an exponent it would be a binary fraction.
        return nodes.Literal(value, "decimal", format(value, "f"))
    if isinstance(value, str):
        return nodes.Literal.of_text(value)
    if isinstance(value, datetime.datetime):
        kind = "timestamp_ntz" if value.tzinfo is None else "timestamp"
        moment = value if value.tzinfo is None else value.astimezone(datetime.UTC)
        return nodes.Cast(nodes.Literal.of_text(moment.isoformat(sep=" ")), kind)
    return nodes.Cast(nodes.Literal.of_text(value.isoformat()), "date") if isinstance(value, datetime.date) else None


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
