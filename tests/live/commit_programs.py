"""Random programs of statements that write: what both libraries carry out on tables of their own.

A step is a statement; `@conf KEY VALUE`, a setting of the session up to the end of the program; or `@write MODE OPTIONS
QUERY`, the rows of a query written by `DataFrameWriter`, its options as JSON without a space.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.live.commit_tables import PROPERTIES, TABLE, Shape, listed_properties, random_table

Json = dict[str, Any]

SETTINGS = (
    ("spark.sql.sources.partitionOverwriteMode", "dynamic"),
    ("spark.databricks.delta.schema.autoMerge.enabled", "true"),
    ("spark.databricks.delta.commitInfo.userMetadata", "said_by_the_session"),
    ("spark.databricks.delta.stats.collect", "false"),
    ("spark.databricks.delta.properties.defaults.enableDeletionVectors", "true"),
    ("spark.databricks.delta.history.metricsEnabled", "false"),
    ("spark.databricks.delta.merge.materializeSource", "none"), ("spark.sql.ansi.enabled", "false"),
    ("spark.databricks.delta.writeChecksumFile.enabled", "false"), ("spark.sql.session.timeZone", "America/New_York"),
)  # fmt: skip


def random_programs(seed: int, count: int) -> Iterator[Json]:
    """`count` programs, the same ones for the same seed."""
    random = Random(seed)
    for number in range(count):
        yield {"id": f"commits/{seed}-{number}", "steps": list(_program(random))}


def _program(random: Random) -> Iterator[str]:
    if random.random() < 0.15:
        yield "@conf " + " ".join(random.choice(SETTINGS))
    begin, shape = random_table(random)
    if random.random() < 0.1:
        begin = _replace(random, shape).replace("CREATE OR REPLACE", "CREATE")
    yield begin
    yield _insert(random, shape)
    for _ in range(random.choice((3, 4, 5, 6))):
        yield random.choice(random.choice((_WRITES, _WRITES, _CHANGES, _UPKEEP)))(random, shape)


def _insert(random: Random, shape: Shape) -> str:
    return f"INSERT INTO {TABLE} (id, v, p) VALUES {shape.rows(random)}"


def _insert_by_name(random: Random, shape: Shape) -> str:
    return f"INSERT INTO {TABLE} BY NAME {shape.query(random)}"


def _overwrite(random: Random, shape: Shape) -> str:
    return f"INSERT OVERWRITE {TABLE} (id, v, p) VALUES {shape.rows(random)}"


def _replace_where(random: Random, shape: Shape) -> str:
    low = random.randint(-3, 9)
    rows = f"SELECT * FROM ({shape.query(random)}) WHERE id >= {low}"
    return f"INSERT INTO {TABLE} REPLACE WHERE id >= {low} {rows}"


def _written(random: Random, shape: Shape) -> str:
    mode, options, query = random.choice(("append", "overwrite")), {}, shape.query(random)
    if random.random() < 0.3:
        options["userMetadata"] = "said_by_the_writer"
    if mode == "overwrite" and random.random() < 0.3:
        options |= random.choice(({"overwriteSchema": "true"}, {"partitionOverwriteMode": "dynamic"}))
    elif mode == "overwrite" and random.random() < 0.4:
        options["replaceWhere"] = "id>=4"
        query = f"SELECT * FROM ({query}) WHERE id >= 4"
    elif random.random() < 0.3:
        options["mergeSchema"] = "true"
        query = query.replace(" FROM VALUES", ", 1 AS more FROM VALUES", 1)
    elif random.random() < 0.2:
        options |= {"txnAppId": "app", "txnVersion": random.choice("12")}
    return f"@write {mode} {json.dumps(options, separators=(',', ':'))} {query}"


def _condition(random: Random, shape: Shape) -> str:
    part = f"p = {shape.literal(random, 2)}"
    return random.choice((
        "id > 3", "id = 1 OR id = 2", "p IS NULL", part, part, f"{part} AND id < 5", "id < -50", "true",
        "id IN (1, 5)", "v IS NOT NULL", "id <= 3", f"p <=> {shape.literal(random, 2)}",
    ))  # fmt: skip


def _delete(random: Random, shape: Shape) -> str:
    return f"DELETE FROM {TABLE}{random.choice(('', *[f' WHERE {_condition(random, shape)}'] * 9))}"


def _update(random: Random, shape: Shape) -> str:
    change = random.choice(
        (f"v = {shape.literal(random, 1)}",) * 3 + (f"p = {shape.literal(random, 2)}", "id = id + 1")
    )
    return f"UPDATE {TABLE} SET {change} WHERE {_condition(random, shape)}"


_FOUND = ("DELETE", "UPDATE SET v = s.v", "UPDATE SET v = s.v, p = s.p")
_NOT_IN_THE_SOURCE = (
    " WHEN NOT MATCHED BY SOURCE THEN DELETE",
    " WHEN NOT MATCHED BY SOURCE AND t.id < 3 THEN UPDATE SET p = NULL",
)


def _merge(random: Random, shape: Shape) -> str:
    also = random.choice(("", " AND t.id > 2", " AND s.v IS NULL"))
    matched = [f" WHEN MATCHED{also} THEN {random.choice(_FOUND)}"]
    if random.random() < 0.2:
        matched.insert(0, " WHEN MATCHED AND t.id = 1 THEN DELETE")
    inserted = " WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, s.p)"
    clauses = [*random.choice((matched, matched, [])), *random.choice(([], [inserted]))]
    if random.random() < 0.25:
        clauses.append(random.choice(_NOT_IN_THE_SOURCE))
    on = random.choice(("t.id = s.id", "t.id = s.id", "t.id = s.id AND t.p = s.p", "t.id = s.id AND t.id > 1"))
    return f"MERGE INTO {TABLE} t USING ({shape.query(random)}) s ON {on}{''.join(clauses or [inserted])}"


def _replace(random: Random, shape: Shape) -> str:
    layout = random.choice(("", "", " PARTITIONED BY (p)", " CLUSTER BY (id)"))
    return f"CREATE OR REPLACE TABLE {TABLE} USING delta{layout}{listed_properties(random)} AS {shape.query(random)}"


def _optimize(random: Random, shape: Shape) -> str:
    part = f" WHERE p = {shape.literal(random, 2)}"
    return f"OPTIMIZE {TABLE}{random.choice(('', '', '', part, ' ZORDER BY (id)', f'{part} ZORDER BY (id)'))}"


def _purge(_: Random, __: Shape) -> str:
    return f"REORG TABLE {TABLE} APPLY (PURGE)"


def _vacuum(_: Random, __: Shape) -> str:
    return f"VACUUM {TABLE}"


def _restore(random: Random, _: Shape) -> str:
    return f"RESTORE TABLE {TABLE} TO VERSION AS OF {random.choice((0, 1, 1, 2))}"


def _alter(random: Random, shape: Shape) -> str:
    name = f"z{random.randint(1, 2)}"
    clause = random.choice((
        f"SET TBLPROPERTIES ({random.choice(PROPERTIES)})", f"SET TBLPROPERTIES ({random.choice(PROPERTIES)})",
        f"UNSET TBLPROPERTIES ({random.choice(PROPERTIES).split('=', maxsplit=1)[0]})",
        f"ADD COLUMNS ({name} {random.choice(('INT', 'STRING', 'STRUCT<a: INT>'))})",
        f"ADD COLUMNS ({name} INT AFTER id)", f"RENAME COLUMN {name} TO {name}x", f"DROP COLUMN {name}",
        "ALTER COLUMN v COMMENT 'o''ne'", "ALTER COLUMN id TYPE BIGINT", "ALTER COLUMN p FIRST",
        "ALTER COLUMN id DROP NOT NULL", "ALTER COLUMN id SET NOT NULL", "ADD CONSTRAINT d CHECK (id > -50)",
        "DROP CONSTRAINT IF EXISTS d", "CLUSTER BY (id)", "CLUSTER BY NONE", "DROP FEATURE deletionVectors",
        "DROP FEATURE rowTracking", "SET TBLPROPERTIES ('delta.columnMapping.mode'='none')",
    ))  # fmt: skip
    return f"ALTER TABLE {TABLE} {clause}"


_Statement = Callable[[Random, Shape], str]
_WRITES: tuple[_Statement, ...] = (_insert, _insert_by_name, _overwrite, _replace_where, _written, _written)
_CHANGES: tuple[_Statement, ...] = (_delete, _delete, _update, _update, _merge, _merge)
_UPKEEP: tuple[_Statement, ...] = (_optimize, _optimize, _restore, _alter, _alter, _alter, _replace, _purge, _vacuum)
