"""Partition columns of every type: the values files name, and literals that hit, miss and stretch them."""

from random import Random

import attrs


@attrs.frozen
class PartitionKind:
    """One type of partition column."""

    type: str
    values: tuple[str | None, ...]
    """As files name them; None is null."""
    literals: tuple[str, ...]
    """As SQL spells values that may be compared with the column."""


TEXTS = ("a", "b", "c", "A", "a b", "x/y", "é", "a=b", "10", "9", "%", "a_c", "O'Neil", "true", "")
DAYS = ("2024-01-01", "2024-01-02", "2024-02-29", "1969-12-31", "0001-01-01")
MOMENTS = (
    "2024-01-01 00:00:00", "2024-01-01 12:34:56.789", "2024-01-01T00:00:00.000000Z", "1969-12-31 23:59:59.999999",
    "2024-02-29 00:00:00",
)  # fmt: skip
KINDS = (
    PartitionKind("string", (*TEXTS[:5], *TEXTS[:3], *TEXTS[5:], None),
                  tuple("'" + text.replace("'", "\\'") + "'" for text in TEXTS)),
    PartitionKind("integer", ("1", "2", "10", "9", "-3", "0", None), ("1", "2", "10", "-3", "1.5", "'2'", "2L",
    "1 + 1")),
    PartitionKind("long", ("1", "2", "9999999999", "-3", None), ("1", "2L", "9999999999", "'2'",
    "CAST(2 AS BIGINT)")),
    PartitionKind("short", ("1", "2", "-3", None), ("1", "2S", "300", "100000")),
    PartitionKind("byte", ("1", "2", "-3", None), ("1", "2Y", "300")),
    PartitionKind("double", ("1.5", "2.0", "-0.0", "0.0", "NaN", "Infinity", None), ("1.5", "2", "0", "1.5D", "1e1")),
    PartitionKind("float", ("1.5", "2.0", "0.1", None), ("1.5", "2", "0.1", "CAST(0.1 AS FLOAT)")),
    PartitionKind("decimal(10,2)", ("1.50", "1.5", "-2.00", "10.00", None), ("1.5", "1.50", "-2", "10", "1.499",
    "2.5BD")),
    PartitionKind("boolean", ("true", "false", None), ("true", "false")),
    PartitionKind("date", (*DAYS, None),
                  (*(f"DATE'{day}'" for day in DAYS), "'2024-01-01'", "'2024-1-1'", "CAST('2024-01-02' AS DATE)",
                   "TIMESTAMP'2024-01-01 12:00:00'", "date_add(DATE'2024-01-01', 1)")),
    PartitionKind("timestamp", (*MOMENTS, None),
                  ("TIMESTAMP'2024-01-01 00:00:00'", "TIMESTAMP'2024-01-01 12:34:56.789'", "'2024-01-01 00:00:00'",
                   "DATE'2024-01-01'", "TIMESTAMP'2024-01-01T00:00:00Z'", "TIMESTAMP'2024-01-01 01:00:00+01:00'",
                   "'2024-01-01'")),
)  # fmt: skip


def random_kind(random: Random) -> PartitionKind:
    """Strings and whole numbers more often than the rest."""
    return random.choice((KINDS[0], KINDS[0], KINDS[0], KINDS[1], *KINDS))
