"""Conditions of a session's zone in UTC: what is written out, and what is left to Spark."""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

import pytest

from deltaresolver.expressions.conditions import PartitionJudge, parse_predicate
from deltaresolver.expressions.zones import without_zone
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, StructType, encode_schema

ANGELES = ZoneInfo("America/Los_Angeles")
FIELDS = [("t", "timestamp"), ("u", "timestamp"), ("n", "timestamp_ntz"), ("d", "date"), ("id", "long")]
SCHEMA = encode_schema(StructType(tuple(StructField(name, kind) for name, kind in FIELDS)))
METADATA = Metadata(schema_string=SCHEMA, partition_columns=("t",))


def said(text: str) -> str | None:
    found = without_zone(parse_predicate(text), METADATA, ANGELES)
    return None if found is None else found.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t >= '2024-01-01'", "t >= '2024-01-01 08:00:00+00:00'"),
        ("TIMESTAMP'2024-07-01 12:30:00.5' < t", "CAST('2024-07-01 19:30:00.500000+00:00' AS TIMESTAMP) < t"),
        ("date'2024-01-01' = t", "CAST('2024-01-01 08:00:00+00:00' AS TIMESTAMP) = t"),
        ("t = '2024-01-01T00:00:00+05:30'", "t = '2023-12-31 18:30:00+00:00'"),
        ("t in ('2024-03-10 02:30:00')", "t IN ('2024-03-10 10:30:00+00:00')"),  # left out by the clocks
        ("t = '2024-11-03 01:30:00'", "t = '2024-11-03 08:30:00+00:00'"),  # comes twice
        ("t between '2024-01-01' and u", "t BETWEEN '2024-01-01 08:00:00+00:00' AND u"),
        ("n < '2024-01-01 00:00:00' or id = 3", "n < '2024-01-01 00:00:00' OR id = 3"),
        ("t is null and d = '2024-01-01'", "t IS NULL AND d = '2024-01-01'"),
        ("id = 3", "id = 3"),
        ("cast(t as date) = '2024-01-01'", None),
        ("t = n", None),
        ("n = timestamp'2024-01-01 00:00:00'", None),
        ("d < timestamp'2024-01-01 00:00:00'", None),
        ("t > current_timestamp()", None),
        ("t > '2024-1-1'", None),
        ("t > date'2024-01-01 10:00'", None),
        ("year(t) = 2024 and id = 1", None),
    ],
)
def test_moments_are_written_out(text: str, expected: str | None) -> None:
    assert said(text) == expected


def test_without_a_known_zone_only_moments_are_left_out() -> None:
    assert without_zone(parse_predicate("t > '2024-01-01'"), METADATA, None) is None
    assert without_zone(parse_predicate("id > 3"), METADATA, None) is not None


def test_partition_values_without_an_offset_are_the_sessions() -> None:
    judge = PartitionJudge.of(METADATA, ANGELES)
    condition = without_zone(parse_predicate("t >= '2024-01-01'"), METADATA, ANGELES)
    assert condition is not None
    answers = {text: judge.may_hold(condition, {"t": text}) for text in ("2024-01-01 00:00:00", "2023-12-31 23:59:59")}
    assert answers == {"2024-01-01 00:00:00": True, "2023-12-31 23:59:59": False}
    assert not judge.may_hold(condition, {"t": "2024-01-01T07:59:59.000000Z"})
    assert judge.surely_holds(condition, {"t": "2024-01-01T08:00:00.000000Z"})
    assert judge.may_hold(condition, {"t": "once"})
    assert not judge.surely_holds(condition, {"t": "once"})


def test_in_utc_nothing_changes() -> None:
    predicate = parse_predicate("cast(t as date) = '2024-01-01'")
    assert without_zone(predicate, METADATA, datetime.UTC) is predicate
