"""What a statement is taken to ask for, without a session: the parts that are handed on are as they were written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from deltaresolver.errors import SqlUnsupportedError, StatementUnreadableError
from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.spark.maintenance.optimize import Optimize
from deltaresolver.spark.names.entry import CatalogEntry
from deltaresolver.spark.names.identifiers import TableName, path_of
from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.sql import changes, definitions, inserts, merges, run, upkeep
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.creation import Creation
from deltaresolver.spark.sql.words import StatementWords

REPLACED = {"overwrites": True, "replace_where": "a IS DISTINCT FROM 1"}
WITH = "WITH w AS (TABLE t) TABLE w"
SCHEMA = StructType((StructField("id", "long"), StructField("s", "string", True, {"CURRENT_DEFAULT": "'d'"})))


class Paper(SqlContext):
    """A context that notes what it is asked, with one Delta table called t."""

    def __init__(self) -> None:
        super().__init__(SimpleNamespace(conf=SimpleNamespace(get=lambda key, default=None: default)))  # type: ignore[arg-type]
        self.noted: list[Any] = []

    @property
    def reading(self) -> SqlReading:
        return SqlReading()

    def find(self, name: TableName) -> NamedTable | None:
        if path_of(name) is not None:
            return NamedTable(name, str(path_of(name)))
        is_known = name[-1].lower() == "t"
        return NamedTable(name, "/t", CatalogEntry("default", "t", "delta", "/t")) if is_known else None

    def view_called(self, name: TableName) -> None:
        return None

    def opened(self, table: NamedTable) -> Any:
        return SimpleNamespace(metadata=SimpleNamespace(schema=SCHEMA), starter=SimpleNamespace(session={}))

    def query(self, text: str, args: Any = None, frames: Any = None) -> Any:
        self.noted.append(("query", text))
        return SimpleNamespace(alias=lambda name: ("rows", name))

    @contextmanager
    def views(self, *texts: str) -> Iterator[Sequence[str]]:
        yield list(texts)

    def empty(self) -> Any:
        return "done"

    def counted(self, **counts: int) -> Any:
        return counts


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Paper:
    made = Paper()
    monkeypatch.setattr(inserts, "write_rows", lambda table, rows, asked: made.noted.append(asked))
    monkeypatch.setattr(changes, "update_rows", lambda *given: made.noted.append(given[2:]))
    monkeypatch.setattr(changes, "delete_rows", lambda *given: made.noted.append(given[2:]))
    monkeypatch.setattr(
        merges,
        "DeltaMergeBuilder",
        lambda merge, clauses: SimpleNamespace(execute=lambda: made.noted.append((merge, clauses))),
    )
    monkeypatch.setattr(
        merges, "Merge", lambda spark, table, source, condition, alias, evolves: (source, condition, alias, evolves)
    )
    monkeypatch.setattr(definitions, "carry_out", lambda context, creation: made.noted.append(creation))
    monkeypatch.setattr(run, "check_settings", lambda settings: None)
    return made


def carried(paper: Paper, text: str, args: Any = None) -> Any:
    return run._carried_out(paper, paper.words(text), args, None)


@pytest.mark.parametrize(
    ("text", "asked", "query"),
    [
        ("INSERT INTO t SELECT 1, 2", {}, "SELECT 1, 2"),
        ("INSERT INTO TABLE t TABLE u", {}, "TABLE u"),
        ("INSERT OVERWRITE t VALUES (1, DEFAULT)", {"overwrites": True}, "VALUES (1, CAST(('d') AS string))"),
        ("INSERT INTO t (s, `id`) VALUES (1, 2)", {"columns": ("s", "id")}, "VALUES (1, 2)"),
        ("INSERT INTO t (SELECT 1, 2)", {}, "(SELECT 1, 2)"),
        ("INSERT INTO t BY NAME SELECT 1 AS id", {"by_name": True}, "SELECT 1 AS id"),
        ("INSERT INTO t PARTITION (p = 'x', q) SELECT 1", {"partition": {"p": "'x'", "q": None}}, "SELECT 1"),
        ("INSERT INTO t REPLACE WHERE a IS DISTINCT FROM 1 SELECT 1", REPLACED, "SELECT 1"),
        ("INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1", {"evolves": True}, "SELECT 1"),
        ("WITH w AS (SELECT ')' a) INSERT INTO t SELECT * FROM w", {}, "WITH w AS (SELECT ')' a) SELECT * FROM w"),
    ],
)  # fmt: skip
def test_an_insert_is_read(paper: Paper, text: str, asked: dict[str, Any], query: str) -> None:
    assert carried(paper, text) == "done"
    told, written = paper.noted
    assert told == ("query", query)
    assert {name: getattr(written, name) for name in asked} == asked
    assert written.overwrites is asked.get("overwrites", False)


def test_an_update_and_a_delete_are_read(paper: Paper) -> None:
    carried(paper, "UPDATE t SET s = CASE WHEN id = 1 THEN 'WHERE' ELSE s END, t.id = DEFAULT WHERE id > (SELECT 1)")
    carried(paper, "UPDATE delta.`/x` AS u SET s = ','")
    carried(paper, "DELETE FROM t x WHERE x.id = 1 -- all")
    carried(paper, "DELETE FROM t")
    assert paper.noted == [
        (
            {"`s`": "CASE WHEN id = 1 THEN 'WHERE' ELSE s END", "`t`.`id`": "CAST((NULL) AS bigint)"},
            "id > (SELECT 1)",
            "t",
        ),
        ({"`s`": "','"}, None, "u"),
        ("x.id = 1", "x"),
        (None, "t"),
    ]


def test_a_merge_is_read(paper: Paper) -> None:
    carried(
        paper,
        "MERGE WITH SCHEMA EVOLUTION INTO t AS a USING db.u ON a.id = u.id AND CASE WHEN 1 THEN 1 END = 1 "
        "WHEN MATCHED AND u.x THEN DELETE WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT (id, s) VALUES (u.id, DEFAULT) "
        "WHEN NOT MATCHED BY SOURCE AND a.s = 'THEN' THEN UPDATE SET s = 'WHEN'",
    )
    told, ((source, condition, alias, evolves), clauses) = paper.noted
    assert told == ("query", "SELECT * FROM db.u")
    assert (source, condition) == (("rows", "u"), "a.id = u.id AND CASE WHEN 1 THEN 1 END = 1")
    assert (alias, evolves) == ("a", True)
    shown = [(str(each), each.condition, dict(each.values), each.takes_all) for each in clauses]
    assert shown == [
        ("the delete clause for rows matched", "u.x", {}, False),
        ("the update clause for rows matched", None, {}, True),
        ("the insert clause for rows not matched", None, {"id": "u.id", "s": "CAST(('d') AS string)"}, False),
        ("the update clause for rows not matched by source", "a.s = 'THEN'", {"`s`": "'WHEN'"}, False),
    ]


@pytest.mark.parametrize(
    ("text", "name", "query", "location"),
    [
        ("CREATE TABLE n (a INT COMMENT 'AS SELECT') USING delta LOCATION '/l'", ("n",), None, "/l"),
        ("CREATE OR REPLACE TABLE db.n USING delta PARTITIONED BY (a) AS SELECT 1 a", ("db", "n"), "SELECT 1 a", None),
        ("CREATE TABLE n USING DELTA TBLPROPERTIES ('as' = 'select') WITH w AS (TABLE t) TABLE w", ("n",), WITH, None),
        ("REPLACE TABLE delta.`/p` (a INT)", ("delta", "/p"), None, None),
    ],
)  # fmt: skip
def test_a_create_table_is_read(
    paper: Paper, text: str, name: TableName, query: str | None, location: str | None
) -> None:
    assert carried(paper, text) == "done"
    (creation,) = paper.noted
    assert isinstance(creation, Creation)
    assert (creation.name, creation.query, creation.statement.location) == (name, query, location)


@pytest.mark.parametrize(
    "text",
    [
        "SET a = b",
        "USE db",
        "CREATE DATABASE t",
        "CREATE TABLE n USING parquet AS SELECT 1",
        "CREATE TABLE n (a INT)",
        "DROP TABLE IF EXISTS u",
        "UPDATE u SET a = 1",
        "MERGE INTO u USING t ON true WHEN MATCHED THEN DELETE",
        "ALTER TABLE u SET TBLPROPERTIES (a = 1)",
        "SHOW TABLES",
        "DESCRIBE DATABASE t",
        "DESCRIBE u",
        "TRUNCATE TABLE u",
        "INSERT INTO u VALUES (1)",
    ],
)
def test_a_statement_that_names_no_delta_table_is_left_to_spark(paper: Paper, text: str) -> None:
    assert carried(paper, text) is None
    assert paper.noted == []


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t PARTITION (p = 1",
        "DELETE FROM t WHERE",
        "DELETE FROM t VERSION AS OF 1",
        "UPDATE t SET",
        "UPDATE t SET a 1",
        "UPDATE t SET a = 1, a = 2",
        "MERGE INTO t USING u WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING u ON true WHEN MATCHED THEN INSERT *",
        "MERGE INTO t USING u ON true WHEN NOT MATCHED THEN INSERT (id, s) VALUES (1)",
        "MERGE INTO t USING u ON true WHEN NOT MATCHED THEN DELETE",
        "MERGE INTO t USING u ON true WHEN NOT MATCHED BY TARGET THEN UPDATE SET s = 'a'",
        "MERGE INTO t USING u ON true WHEN NOT MATCHED BY SOURCE THEN INSERT *",
        "MERGE INTO t USING u ON true WHEN NOT MATCHED BY SOURCE THEN UPDATE SET *",
        "RESTORE TABLE t",
        "VACUUM t RETAIN soon HOURS",
        "VACUUM t FOREVER",
    ],
)
def test_what_cannot_be_read_is_refused(paper: Paper, text: str) -> None:
    with pytest.raises(StatementUnreadableError):
        carried(paper, text)
    assert all(isinstance(each, tuple) and each[0] == "query" for each in paper.noted)


@pytest.mark.parametrize(
    "text",
    [
        "TRUNCATE TABLE t PARTITION (p = 1)",
        "ANALYZE TABLE t COMPUTE STATISTICS",
        "MSCK REPAIR TABLE t",
        "REPAIR TABLE t",
        "LOAD DATA INPATH 'x' INTO TABLE t",
        "INSERT INTO t REPLACE USING (id) SELECT 1",
        "INSERT OVERWRITE t PARTITION (p = 1) IF NOT EXISTS SELECT 1",
        "MERGE INTO t USING u ON true WHEN MATCHED THEN UPDATE SET * EXCEPT (id)",
        "CREATE TABLE n DEEP CLONE t",
        "CREATE TABLE n CLONE t VERSION AS OF 3",
        "DROP TABLE delta.`/p`",
        "ALTER TABLE delta.`/p` RENAME TO n",
        "WITH w AS (SELECT 1) DELETE FROM t",
    ],
)
def test_what_spark_would_do_past_the_log_is_refused(paper: Paper, text: str) -> None:
    with pytest.raises(SqlUnsupportedError) as raised:
        carried(paper, text)
    assert raised.value.fix


def test_a_script_is_cut_at_its_statements() -> None:
    words = StatementWords.of("a ';' b; -- ; c\n/* ; */ d;; ; e(`;`);")
    assert [part.text for part in run._statements(words)] == ["a ';' b", "d", "e(`;`)"]


def test_upkeep_of_a_table_by_its_path_in_quotes_is_carried_out(paper: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    table = SimpleNamespace()
    monkeypatch.setattr(upkeep, "_optimized", lambda context, table, wanted: asked.append(str(wanted)))
    monkeypatch.setattr(upkeep, "convert_to_delta", lambda *given, statistics: asked.append((*given[1:], statistics)))
    table.restoreToVersion = asked.append
    table.restoreToTimestamp = asked.append
    table.generate = asked.append
    monkeypatch.setattr(upkeep, "DeltaTable", lambda spark, opened: table)
    for text in (
        "OPTIMIZE '/p' WHERE day = 'ZORDER'",
        "OPTIMIZE t FULL ZORDER BY (a, b.c)",
        "REORG TABLE t WHERE day = 1 APPLY (PURGE)",
        "CONVERT TO DELTA parquet.`/q` NO STATISTICS PARTITIONED BY (day DATE, n DECIMAL(3, 1))",
        "RESTORE '/p' TO VERSION AS OF 3",
        "RESTORE TABLE t TO TIMESTAMP AS OF '2026-01-01'",
        "GENERATE SYMLINK_FORMAT_MANIFEST FOR TABLE delta.`/p`",
    ):
        carried(paper, text)
    assert asked == [
        str(Optimize(("day = 'ZORDER'",))),
        str(Optimize((), ("a", "b.c"), is_full=True)),
        str(Optimize(("day = 1",), purges=True)),
        ("`parquet`.`/q`", "day DATE, n DECIMAL(3, 1)", False),
        3,
        "2026-01-01",
        "symlink_format_manifest",
    ]
