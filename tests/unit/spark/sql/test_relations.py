"""Where a query names tables, by the words before a name."""

from __future__ import annotations

import pytest

from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.spark.sql.relations import Travel, relations
from deltaresolver.spark.sql.replaced import replaced_text
from deltaresolver.spark.sql.words import StatementWords
from tests.nasty import COLUMN_NAMES, MAPPED_ONLY_NAMES


def names(query: str) -> list[str]:
    return [".".join(each.name) for each in relations(StatementWords.of(query))]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("SELECT a FROM t", ["t"]),
        ("SELECT * FROM a, b x, db.c AS y JOIN d ON a.i = d.i", ["a", "b", "db.c", "d"]),
        ("SELECT * FROM (SELECT * FROM a) x LEFT ANTI JOIN b USING (i)", ["a", "b"]),
        ("SELECT (SELECT max(i) FROM a) FROM b WHERE EXISTS (SELECT 1 FROM c) ORDER BY d, e", ["a", "b", "c"]),
        ("FROM a SELECT x", ["a"]),
        ("TABLE a", ["a"]),
        ("SELECT 1 UNION ALL TABLE a", ["a"]),
        ("FROM a |> WHERE b > 1 |> JOIN c ON true", ["a", "c"]),
        ("SELECT * FROM (a CROSS JOIN b)", ["a", "b"]),
        ("SELECT * FROM a LATERAL VIEW explode(x) v AS k, w", ["a"]),
        ("SELECT * FROM a, LATERAL (SELECT * FROM b)", ["a", "b"]),
        (
            "SELECT extract(day FROM ts), trim(BOTH FROM x), substring(x FROM 2), overlay(x PLACING y FROM 3) FROM a",
            ["a"],
        ),
        ("SELECT x IS DISTINCT FROM y, x IS NOT DISTINCT FROM z FROM a", ["a"]),
        ("SELECT a.from, a.join FROM a", ["a"]),
        ("SELECT 'FROM b', \"FROM c\", `from d` FROM a -- FROM e\n/* FROM f /* , g */ */", ["a"]),
        ("SELECT * FROM a WHERE x IN (1, 2), b", ["a"]),
        ("SELECT * FROM range(3), explode(array(1)) JOIN a", ["a"]),
        ("VALUES (1), (2)", []),
        ("SELECT * FROM VALUES (1, 2), (3, 4) AS v(a, b)", []),
    ],
)
def test_names_that_stand_for_tables_are_found(query: str, found: list[str]) -> None:
    assert names(query) == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("WITH t AS (SELECT 1) SELECT * FROM t", []),
        ("WITH t AS (SELECT * FROM t) SELECT * FROM t JOIN u", ["t", "u"]),
        ("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b, T", ["T"]),
        ("SELECT * FROM (WITH t AS (SELECT 1) SELECT * FROM t) x JOIN t", ["t"]),
        ("WITH t(x) AS (SELECT 1) SELECT * FROM db.t", ["db.t"]),
        ("WITH RECURSIVE t AS (SELECT 1 UNION ALL SELECT * FROM t) SELECT * FROM t", []),
    ],
)
def test_names_of_common_table_expressions_are_not_taken_for_tables_where_they_are_known(
    query: str, found: list[str]
) -> None:
    assert names(query) == found


@pytest.mark.parametrize(
    ("text", "travel"),
    [
        ("t VERSION AS OF 3", Travel(version="3")),
        ("t FOR VERSION AS OF '3'", Travel(version="3")),
        ("t FOR SYSTEM_VERSION AS OF 3 AS x", Travel(version="3")),
        ("t TIMESTAMP AS OF '2026-01-01' x", Travel(timestamp="'2026-01-01'")),
        (
            "t TIMESTAMP AS OF current_timestamp() - INTERVAL 1 DAY WHERE a",
            Travel(timestamp="current_timestamp() - INTERVAL 1 DAY"),
        ),
        ("t FOR SYSTEM_TIME AS OF DATE '2026-01-01' JOIN u", Travel(timestamp="DATE '2026-01-01'")),
        ("t", None),
    ],
)
def test_versions_and_moments_belong_to_the_name(text: str, travel: Travel | None) -> None:
    assert relations(StatementWords.of(f"SELECT * FROM {text}"))[0].travel == travel


@pytest.mark.parametrize(
    ("query", "replaced"),
    [
        ("SELECT t.a FROM t", "SELECT t.a FROM X AS t"),
        ("SELECT * FROM db.t x", "SELECT * FROM X x"),
        ("SELECT * FROM db.t AS x WHERE 1", "SELECT * FROM X AS x WHERE 1"),
        ("SELECT * FROM t VERSION AS OF 3 WHERE a", "SELECT * FROM X AS t WHERE a"),
        ("SELECT * FROM t TABLESAMPLE (5 ROWS) LIMIT 1", "SELECT * FROM X TABLESAMPLE (5 ROWS) AS t LIMIT 1"),
        ("SELECT * FROM t TABLESAMPLE (5 ROWS) x", "SELECT * FROM X TABLESAMPLE (5 ROWS) x"),
        ("SELECT * FROM (t)", "SELECT * FROM (X AS t)"),
        ("SELECT /*+ BROADCAST(t) */ * FROM t -- t", "SELECT /*+ BROADCAST(t) */ * FROM X AS t -- t"),
        ("SELECT db.t.a, DB.T.b.c, db.t FROM db.t", "SELECT t.a, t.b.c, db.t FROM X AS t"),
        ("SELECT db.t.a FROM db.t AS x", "SELECT db.t.a FROM X AS x"),
        ("SELECT count(db.t.*) FROM db.t", "SELECT count(db.t.*) FROM X AS t"),
        ("SELECT '{t}' FROM t", "SELECT '{{t}}' FROM X AS t"),
    ],
)
def test_a_replaced_table_keeps_the_name_that_its_columns_are_called_by(query: str, replaced: str) -> None:
    words = StatementWords.of(query)
    assert replaced_text(words, relations(words), {0: "X"}, escapes=True) == replaced


@pytest.mark.parametrize("name", COLUMN_NAMES + MAPPED_ONLY_NAMES)
def test_quoted_names_are_read_whole(name: str) -> None:
    quoted = "`" + name.replace("`", "``") + "`"
    assert [each.name for each in relations(StatementWords.of(f"SELECT {quoted}.x FROM {quoted}.{quoted}"))] == [
        (name, name)
    ]


def test_double_quotes_are_names_where_the_session_reads_them_so() -> None:
    text = 'SELECT * FROM "a b"'
    assert [each.name for each in relations(StatementWords.of(text, SqlReading(quotes_names=True)))] == [("a b",)]
    assert not relations(StatementWords.of(text))
