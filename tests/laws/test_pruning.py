"""Pruning never drops a file with a matching row, whatever the rows, the statistics' gaps and the predicate."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.expressions.predicates import (
    And,
    Compare,
    Comparison,
    IsIn,
    IsNull,
    Negation,
    Or,
    Predicate,
    StartsWith,
)
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.pruning.prune import prune
from deltaresolver.model.metadata import Metadata

UTC = dt.timezone.utc  # noqa: UP017 - the oldest supported Python spells it so
FIELDS: dict[tuple[str, ...], tuple[str, st.SearchStrategy[Any]]] = {
    ("i",): ("long", st.integers(-3, 3) | st.sampled_from([2**53, 2**53 + 1, -(2**63), 2**63 - 1])),
    ("s",): ("string", st.text("abü\U0001f600", max_size=5)),
    ("f",): ("double", st.sampled_from([-math.inf, -1.5, -0.0, 0.0, 0.1, 2.0, math.inf, math.nan])),
    ("g",): ("float", st.sampled_from([0.5, 0.699999988079071, 0.30000001192092896, math.nan])),
    ("d",): ("date", st.dates(dt.date(2024, 1, 1), dt.date(2024, 1, 5))),
    ("t",): (
        "timestamp",
        st.integers(0, 2500).map(lambda us: dt.datetime(2024, 1, 1, tzinfo=UTC) + dt.timedelta(microseconds=us)),
    ),
    ("m",): ("decimal(10,2)", st.integers(-300, 300).map(lambda n: decimal.Decimal(n).scaleb(-2))),
    ("n", "x"): ("integer", st.integers(-2, 2)),
    ("p",): ("string", st.sampled_from(["", "a", "b", "ab"])),
    ("q",): ("integer", st.integers(-1, 1)),
    ("r",): ("double", st.sampled_from([0.5, 1.0, math.nan])),
}
PARTITIONS = ("p", "q", "r")
PHYSICAL = {"i": "col-1", "n": "col-2", "x": "col-3", "p": "col-4"}
Row = dict[tuple[str, ...], Any]

rows = st.fixed_dictionaries({path: st.none() | values for path, (_, values) in FIELDS.items()})
rows_of_a_file = st.lists(rows, min_size=1, max_size=4)
foreign: dict[tuple[str, ...], st.SearchStrategy[Any]] = {
    ("i",): st.sampled_from(
        [0.5, 1.0, 1e300, math.inf, math.nan, decimal.Decimal("1.5"), 2**64, float(2**53), "x", True]
    ),
    ("f",): st.sampled_from([0, 2**53 + 1, decimal.Decimal("0.1"), "x"]),
    ("g",): st.sampled_from([0.7, 0.3, 0.1]),
    ("m",): st.sampled_from([1, 0.1, decimal.Decimal("0.005"), 10**40]),
    ("t",): st.sampled_from([dt.datetime(2024, 1, 1), dt.date(2024, 1, 1)]),
}


# Made once: a strategy that is made for each draw is also checked for each draw.
paths = st.sampled_from(list(FIELDS))
comparisons = st.sampled_from(list(Comparison))
beginnings = st.text("abü\U0001f600", max_size=3)
own = {path: values for path, (_, values) in FIELDS.items()}
others = {path: foreign.get(path, values) for path, values in own.items()}
nullable = {values: values | st.none() for values in (*own.values(), *others.values())}
few = {values: st.lists(either, max_size=3) for values, either in nullable.items()}


@st.composite
def leaves(draw: st.DrawFn) -> Predicate:
    path = draw(paths)
    values = (own if draw(st.integers(0, 4)) else others)[path]
    kind = draw(st.integers(0, 6))
    if kind == 0:
        return IsNull(path)
    if kind == 1:
        return IsIn(path, tuple(draw(few[values])))
    if kind == 2:
        return StartsWith(("s",), draw(beginnings))
    return Compare(path, draw(comparisons), draw(nullable[values] if kind == 3 else values))


predicates = st.recursive(
    leaves(),
    lambda parts: st.one_of(
        parts.map(Negation),
        st.lists(parts, max_size=3).map(lambda items: And(tuple(items))),
        st.lists(parts, max_size=3).map(lambda items: Or(tuple(items))),
    ),
    max_leaves=6,
)


def evaluate(predicate: Predicate, row: Row) -> bool | None:
    """SQL's answer, written down as plainly as possible."""
    match predicate:
        case And(parts):
            answers = [evaluate(part, row) for part in parts]
            return False if False in answers else None if None in answers else True
        case Or(parts):
            answers = [evaluate(part, row) for part in parts]
            return True if True in answers else None if None in answers else False
        case Negation(part):
            answer = evaluate(part, row)
            return None if answer is None else not answer
        case IsNull(path):
            return row[path] is None
        case IsIn(path, values):
            return evaluate(Or(tuple(Compare(path, Comparison.EQUAL, value) for value in values)), row)
        case StartsWith(path, prefix):
            return None if row[path] is None else row[path].startswith(prefix)
        case Compare(path, Comparison.NULL_SAFE_EQUAL, value):
            if row[path] is None or value is None:
                return row[path] is None and value is None
            return order(row[path], value) == 0
        case Compare(path, comparison, value):
            if row[path] is None or value is None:
                return None
            return compare(comparison, order(row[path], value))
    raise AssertionError(predicate)


def compare(comparison: Comparison, sign: int | None) -> bool | None:
    if sign is None:
        return None  # values of unlike types: no answer we could hold anyone to
    return {
        Comparison.EQUAL: sign == 0,
        Comparison.NOT_EQUAL: sign != 0,
        Comparison.LESS: sign < 0,
        Comparison.LESS_OR_EQUAL: sign <= 0,
        Comparison.GREATER: sign > 0,
        Comparison.GREATER_OR_EQUAL: sign >= 0,
    }[comparison]


def order(left: Any, right: Any) -> int | None:
    if isinstance(left, (int, float, decimal.Decimal)) and isinstance(right, (int, float, decimal.Decimal)):
        left_nan, right_nan = left != left, right != right
        if left_nan or right_nan:
            return int(left_nan) - int(right_nan)
    elif type(left) is not type(right) or (isinstance(left, dt.datetime) and left.tzinfo != right.tzinfo):
        return None
    return int(left > right) - int(left < right)


def stored(value: Any) -> Any:
    """A value as statistics spell it."""
    if isinstance(value, dt.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03d}Z"
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, decimal.Decimal):
        return float(value)
    return value


def stats_of(file_rows: list[Row], draw: Any, mapped: bool) -> str | None:
    """What some writer might record: with gaps, cut strings, NaN left out, wide bounds."""
    if draw(st.integers(0, 9)) == 0:
        broken: str | None = draw(st.sampled_from([None, "", "not json", "{}", "[]"]))
        return broken
    stats: dict[str, Any] = {"numRecords": len(file_rows), "minValues": {}, "maxValues": {}, "nullCount": {}}
    for path, (kind, _) in FIELDS.items():
        if path[0] in PARTITIONS or draw(st.integers(0, 9)) == 0:
            continue
        values = [row[path] for row in file_rows if row[path] is not None and row[path] == row[path]]
        put(stats["nullCount"], path, sum(row[path] is None for row in file_rows), mapped)
        if values:
            low, high = min(values), max(values)
            if kind == "string" and draw(st.booleans()):
                low, high = low[:2], high[:2] + draw(st.sampled_from(["", "\U0010ffff"])) if len(high) > 2 else high
            if kind == "float":
                low, high = float(f"{low:.7g}"), float(f"{high:.7g}")
            put(stats["minValues"], path, stored(low), mapped)
            put(stats["maxValues"], path, stored(high), mapped)
    if draw(st.booleans()):
        stats["tightBounds"] = False
    return json.dumps(stats, ensure_ascii=draw(st.booleans()))


def put(tree: dict[str, Any], path: tuple[str, ...], value: Any, mapped: bool) -> None:
    names = [PHYSICAL.get(name, name) if mapped else name for name in path]
    for name in names[:-1]:
        tree = tree.setdefault(name, {})
    tree[names[-1]] = value


def field(name: str, kind: Any, mapped: bool) -> dict[str, Any]:
    metadata = {"delta.columnMapping.physicalName": PHYSICAL[name]} if mapped and name in PHYSICAL else {}
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


def metadata_for(mapped: bool) -> Metadata:
    fields = [field(path[0], kind, mapped) for path, (kind, _) in FIELDS.items() if len(path) == 1]
    fields.append(field("n", {"type": "struct", "fields": [field("x", "integer", mapped)]}, mapped))
    return Metadata(
        schema_string=json.dumps({"type": "struct", "fields": fields}),
        partition_columns=PARTITIONS,
        configuration={"delta.columnMapping.mode": "name"} if mapped else {},
    )


def partition_text(value: Any) -> str | None:
    return None if value is None else {math.inf: "Infinity"}.get(value, "NaN" if value != value else str(value))


@settings(max_examples=400, deadline=None)
@given(st.data(), predicates, st.booleans())
def test_no_file_with_a_matching_row_is_dropped(data: st.DataObject, predicate: Predicate, mapped: bool) -> None:
    records, matching = [], set()
    for number in range(data.draw(st.integers(1, 4))):
        file_rows = data.draw(rows_of_a_file)
        shared = {
            (name,): file_rows[0][(name,)] or None if name == "p" else file_rows[0][(name,)] for name in PARTITIONS
        }
        file_rows = [row | shared for row in file_rows]
        values = [(PHYSICAL.get(n, n) if mapped else n, partition_text(shared[(n,)])) for n in PARTITIONS]
        stats = stats_of(file_rows, data.draw, mapped)
        records.append({"path": str(number), "partitionValues": values, "stats": stats})
        # Deleted rows stay in the statistics of a file; only the rows left count.
        left = (
            file_rows[data.draw(st.integers(0, len(file_rows) - 1)) :]
            if stats and "tightBounds" in stats
            else file_rows
        )
        if any(evaluate(predicate, row) is True for row in left):
            matching.add(str(number))
    kept = prune(pa.Table.from_pylist(records, ADD_FILES), metadata_for(mapped), predicate)
    assert matching <= set(kept.column("path").to_pylist())
