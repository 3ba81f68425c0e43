"""Random programs of statements that write: what both libraries carry out on tables of their own."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

Json = dict[str, Any]

TABLE = "T!"
"""Stands for the table in a statement."""
COLUMNS = ("id BIGINT, v STRING, p INT", "id INT NOT NULL, v STRING, p STRING", "id BIGINT, v DOUBLE, p DATE",
           "id BIGINT, v STRING COMMENT 'c', p INT, g BIGINT GENERATED ALWAYS AS (id + 1)")  # fmt: skip
PROPERTIES = (
    "'delta.enableDeletionVectors'='true'", "'delta.enableRowTracking'='true'", "'delta.columnMapping.mode'='name'",
    "'delta.enableChangeDataFeed'='true'", "'delta.enableInCommitTimestamps'='true'", "'delta.checkpointPolicy'='v2'",
    "'delta.appendOnly'='false'", "'delta.dataSkippingNumIndexedCols'='1'",
    "'delta.feature.domainMetadata'='supported'",
    "'delta.constraints.c'='id > -100'", "'a'='b'", "'delta.enableTypeWidening'='true'",
)  # fmt: skip
VALUES = {
    "INT": ("0", "1", "2", "NULL"),
    "STRING": ("'a'", "'b c'", "NULL", "''", "'é'"),
    "DATE": ("DATE'2024-01-01'", "DATE'1582-10-04'", "NULL"),
    "DOUBLE": ("1.5D", "0D", "NULL"),
}


def random_programs(seed: int, count: int) -> Iterator[Json]:
    """`count` programs, the same ones for the same seed."""
    random = Random(seed)
    for number in range(count):
        yield {"id": f"commits/{seed}-{number}", "steps": list(_program(random))}


def _program(random: Random) -> Iterator[str]:
    columns = random.choice(COLUMNS)
    types = [declared.split()[1] for declared in columns.split(", ")[:3]]
    clauses = []
    if random.random() < 0.4:
        clauses.append("PARTITIONED BY (p)")
    elif random.random() < 0.2:
        clauses.append("CLUSTER BY (id)")
    chosen = random.sample(PROPERTIES, random.choice((0, 0, 1, 1, 2, 3)))
    if chosen:
        clauses.append(f"TBLPROPERTIES ({', '.join(chosen)})")
    yield " ".join((f"CREATE TABLE {TABLE} ({columns}) USING delta", *clauses))
    yield _insert(random, types)
    for _ in range(random.choice((2, 3, 4, 6))):
        yield random.choice(_WRITES)(random, types)


def _row(random: Random, types: list[str]) -> str:
    values = [str(random.randint(-3, 9)), *(random.choice(VALUES[name]) for name in types[1:])]
    return f"({', '.join(values)})"


def _rows(random: Random, types: list[str]) -> str:
    return ", ".join(_row(random, types) for _ in range(random.choice((1, 2, 4))))


def _insert(random: Random, types: list[str]) -> str:
    return f"INSERT INTO {TABLE} (id, v, p) VALUES {_rows(random, types)}"


def _overwrite(random: Random, types: list[str]) -> str:
    return f"INSERT OVERWRITE {TABLE} (id, v, p) VALUES {_rows(random, types)}"


def _condition(random: Random, types: list[str]) -> str:
    part = f"p = {random.choice(VALUES[types[2]][:2])}"
    return random.choice(
        ("id > 3", "id = 1 OR id = 2", "p IS NULL", part, part, f"{part} AND id < 5", "id < -50", "true")
    )


def _delete(random: Random, types: list[str]) -> str:
    return f"DELETE FROM {TABLE} WHERE {_condition(random, types)}"


def _update(random: Random, types: list[str]) -> str:
    value = random.choice(VALUES[types[1]])
    return f"UPDATE {TABLE} SET v = {value} WHERE {_condition(random, types)}"


def _merge(random: Random, types: list[str]) -> str:
    source = f"(SELECT col1 AS id, col2 AS v, col3 AS p FROM VALUES {_row(random, types)})"
    matched = random.choice(("DELETE", "UPDATE SET v = s.v"))
    insert = random.choice(("", " WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, s.p)"))
    return f"MERGE INTO {TABLE} t USING {source} s ON t.id = s.id WHEN MATCHED THEN {matched}{insert}"


def _optimize(random: Random, _: list[str]) -> str:
    return f"OPTIMIZE {TABLE}"


def _restore(random: Random, _: list[str]) -> str:
    return f"RESTORE TABLE {TABLE} TO VERSION AS OF {random.choice((0, 1))}"


def _set(random: Random, _: list[str]) -> str:
    return f"ALTER TABLE {TABLE} SET TBLPROPERTIES ({random.choice(PROPERTIES)})"


def _add(random: Random, _: list[str]) -> str:
    return f"ALTER TABLE {TABLE} ADD COLUMNS (z{random.randint(1, 3)} {random.choice(('INT', 'STRING'))})"


_WRITES = (_insert, _insert, _delete, _delete, _update, _update, _merge, _merge, _overwrite, _optimize, _restore, _set,
           _add)  # fmt: skip
