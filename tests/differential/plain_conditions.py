"""Conditions as small trees: written in Spark SQL, pushed down as filters, and judged here with Python's own values.

Nothing of the library and nothing of Spark evaluates them, so that a program needs no JVM.
"""

from __future__ import annotations

import datetime
import decimal
import math
import random
import re
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from tests.differential.conditions import Pools, literal
from tests.differential.kinds import is_nested
from tests.differential.program import Column, Value, quoted
from tests.differential.values import scalar

_OFFSET = re.compile(r"([+-]\d\d):(\d\d)")
OPERATORS = ("=", "=", "=", "<>", "<", "<=", ">", ">=", "<=>")
FILTERS = {
    "=": "EqualTo",
    "<=>": "EqualNullSafe",
    "<": "LessThan",
    "<=": "LessThanOrEqual",
    ">": "GreaterThan",
    ">=": "GreaterThanOrEqual",
}
Row = Mapping[str, Any]
"""Values by the lowered name of their column."""


@attrs.frozen
class Plain:
    """A condition: its text, how it is judged, and what Spark would push down of it."""

    text: str
    judged: Callable[[Row], bool | None]
    filters: tuple[Any, ...] = ()
    is_pushed: bool = False
    """Whether the filters are all of it."""


def draw_plain(
    chance: random.Random, columns: Sequence[Column], pools: Pools, depth: int = 2, zone: str = "UTC"
) -> Plain:
    """Any condition over these columns, for a session in a time zone."""
    roll = chance.random()
    if depth == 0 or roll < 0.5:
        return _about(chance, chance.choice(columns), pools, zone)
    one = draw_plain(chance, columns, pools, depth - 1, zone)
    if roll < 0.6:
        return Plain(f"NOT ({one.text})", lambda row: _negated(one.judged(row)), _not_pushed(one))
    other = draw_plain(chance, columns, pools, depth - 1, zone)
    if roll < 0.8:
        both = (*one.filters, *other.filters)
        return Plain(f"({one.text}) AND ({other.text})", lambda row: _all(one.judged(row), other.judged(row)), both)
    return Plain(
        f"({one.text}) OR ({other.text})",
        lambda row: _negated(_all(_negated(one.judged(row)), _negated(other.judged(row)))),
    )


def _not_pushed(one: Plain) -> tuple[Any, ...]:
    from pyspark.sql import datasource

    return (datasource.Not(one.filters[0]),) if one.is_pushed and len(one.filters) == 1 else ()


def _about(chance: random.Random, column: Column, pools: Pools, zone: str) -> Plain:
    from pyspark.sql import datasource

    name, key = quoted(column.name), column.name.lower()
    values = [each for each in pools[key] if each is not None]
    kind = chance.choice(("compare", "compare", "compare", "in", "null", "between"))
    if kind == "null" or is_nested(column.type) or not values:
        wants = chance.random() < 0.5
        check: Any = (datasource.IsNull if wants else datasource.IsNotNull)((column.name,))
        return Plain(
            f"{name} IS {'' if wants else 'NOT '}NULL",
            lambda row: (row[key] is None) is wants,
            (check,),
            is_pushed=True,
        )
    given = [chance.choice(values) for _ in range(chance.randint(1, 3) if kind == "in" else 2)]
    try:
        own = [literal_value(each, column.type, zone) for each in given]
    except OverflowError:  # Python has no such moment in UTC
        return _about(chance, column, {key: [None]}, zone)
    if kind == "in":
        has_null = chance.random() < 0.15
        texts = [spelt(chance, each, column.type) for each in given] + ["NULL"] * has_null
        found = Plain(
            f"{name} IN ({', '.join(texts)})",
            lambda row: _any([_compared("=", row[key], each) for each in own] + [None] * has_null),
            () if has_null else (datasource.In((column.name,), tuple(own)),),
            is_pushed=not has_null,
        )
        if chance.random() < 0.4:
            return Plain(f"{name} NOT IN ({', '.join(texts)})", lambda row: _negated(found.judged(row)))
        return found
    low, high = own
    if kind == "between":
        texts = [spelt(chance, each, column.type) for each in given]
        return Plain(
            f"{name} BETWEEN {texts[0]} AND {texts[1]}",
            lambda row: _all(_compared(">=", row[key], low), _compared("<=", row[key], high)),
            tuple(getattr(datasource, FILTERS[sign])((column.name,), end) for sign, end in ((">=", low), ("<=", high))),
        )
    sign = chance.choice(OPERATORS)
    pushed: tuple[Any, ...] = (getattr(datasource, FILTERS[sign])((column.name,), low),) if sign in FILTERS else ()
    return Plain(
        f"{name} {sign} {spelt(chance, given[0], column.type)}",
        lambda row: _compared(sign, row[key], low),
        pushed,
        is_pushed=bool(pushed),
    )


def spelt(chance: random.Random, value: Value, kind: str) -> str:
    """A literal; fractions in the one spelling that is no FLOAT."""
    return f"double('{value}')" if kind in ("FLOAT", "DOUBLE") else literal(chance, value, kind)


def as_python(value: Value, kind: str) -> Any:
    """A value as literals have it: moments of TIMESTAMP columns in UTC."""
    found = scalar(value, kind)
    return found.replace(tzinfo=datetime.UTC) if kind == "TIMESTAMP" and found is not None else found


def literal_value(value: Value, kind: str, zone: str) -> Any:
    """A value as a literal in a session in a time zone has it: of an hour that comes twice it is the first."""
    found = as_python(value, kind)
    if kind != "TIMESTAMP" or zone == "UTC":
        return found
    offset = _OFFSET.fullmatch(zone)
    if offset is None:
        return found.replace(tzinfo=zoneinfo.ZoneInfo(zone)).astimezone(datetime.UTC)
    return found - datetime.timedelta(hours=int(offset[1]), minutes=int(offset[2]))


def in_row(value: Value, kind: str) -> Any:
    """A value as a row has it: FLOAT columns hold other numbers than were given."""
    found = as_python(value, kind)
    if kind == "FLOAT" and found is not None:
        with np.errstate(over="ignore"):
            return float(np.float32(found))
    if kind.startswith("DECIMAL") and found is not None:
        return found.quantize(decimal.Decimal("0.01"))
    return found


def _compared(sign: str, value: Any, other: Any) -> bool | None:
    if sign == "<=>":
        return (value is None) is (other is None) and (value is None or _ordered(value) == _ordered(other))
    if value is None or other is None:
        return None
    one, two = _ordered(value), _ordered(other)
    signs = {"=": one == two, "<>": one != two, "<": one < two, "<=": one <= two, ">": one > two, ">=": one >= two}
    return bool(signs[sign])


def _ordered(value: Any) -> Any:
    """NaN is the greatest number and equal to itself; texts go by their bytes."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return value.encode() if isinstance(value, str) else value


def _negated(value: bool | None) -> bool | None:
    return None if value is None else not value


def _all(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _any(values: Sequence[bool | None]) -> bool | None:
    if True in values:
        return True
    return None if None in values else False
