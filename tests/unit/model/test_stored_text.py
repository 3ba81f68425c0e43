"""Texts of the log are read as Spark casts them: not as Python would, and not in Delta's own spelling alone."""

from __future__ import annotations

import datetime
import decimal

import pytest

from deltaresolver.model.facts.stored_text import Stored, read_stored
from tests import nasty

DAY = datetime.date(2024, 1, 2)
NOON = datetime.datetime(2024, 1, 2, 12)
READ: list[tuple[str, str, Stored]] = [
    ("integer", " 5\t", 5),
    ("integer", "+5", 5),
    ("byte", "-128", -128),
    ("double", "1d", 1.0),
    ("double", ".5", 0.5),
    ("float", "-Infinity", float("-inf")),
    ("decimal(10,2)", "1.50", decimal.Decimal("1.50")),
    ("boolean", "YES", True),
    ("boolean", "F", False),
    ("date", "2024-1-2", DAY),
    ("date", "2024-01-02 23:59:59", DAY),
    ("date", "2024", datetime.date(2024, 1, 1)),
    ("timestamp_ntz", "2024-01-02 12:00", NOON),
    ("timestamp", "2024-01-02T12:00:00.000000Z", NOON.replace(tzinfo=datetime.UTC)),
    ("timestamp", "2024-01-02 17:45:00+05:45", NOON.replace(tzinfo=datetime.UTC)),
    ("string", " x ", " x "),
    ("binary", " x ", b" x "),
]
REFUSED = [
    ("integer", "1_0"),
    ("integer", "\u0663"),
    ("integer", "5.0"),
    ("byte", "128"),
    ("long", str(2**63)),
    ("double", "1_0.5"),
    ("double", "0x10"),
    ("decimal(10,2)", "NaN"),
    ("boolean", "on"),
    ("date", "20240102"),
    ("date", "2024-W01-1"),
    ("date", "2024-02-30"),
    ("date", "2024-01-02x"),
    ("timestamp", "20240102T030405"),
    ("timestamp", "2024-01-02 24:00:00"),
    ("timestamp", "2024-01-02 03:04:05x"),
]


@pytest.mark.parametrize(("kind", "text", "value"), READ)
def test_values_are_read_as_spark_casts_them(kind: str, text: str, value: Stored) -> None:
    assert read_stored(kind, text) == value


@pytest.mark.parametrize(("kind", "text"), REFUSED)
def test_what_spark_would_not_read_so_is_refused(kind: str, text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_stored(kind, text)


@pytest.mark.parametrize("kind", ["integer", "double", "decimal(10,2)", "boolean", "date", "timestamp", "binary"])
@pytest.mark.parametrize("text", ["", " ", "\x00", "-", "+", "d", "T", "1" * 5000, *nasty.STRINGS, *nasty.STORED_TEXTS])
def test_only_a_value_error_is_raised(kind: str, text: str) -> None:
    try:
        read_stored(kind, text)
    except ValueError:
        return
