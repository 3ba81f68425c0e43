"""No expression that a table keeps reaches an engine unless it has passed the gate."""

from __future__ import annotations

import ast
import gzip
import json
import logging
import re
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltaresolver.errors import TableExpressionRefusedError
from deltaresolver.expressions.allowed import MAX_CHARACTERS, CheckedExpression, checked_expression
from tests.nasty import COLUMN_NAMES
from tests.security.expressions import COLUMNS, DEFAULTS, HONEST, HOSTILE, NO_DEFAULTS


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:60])
def test_a_hostile_expression_is_refused_in_bounded_time(text: str) -> None:
    began = time.monotonic()
    with pytest.raises(TableExpressionRefusedError) as raised:
        checked_expression(text, "CHECK constraint c", COLUMNS)
    assert time.monotonic() - began < 20
    assert raised.value.code == "DR761"
    assert raised.value.details["expression"].startswith(text[:100])
    assert "CHECK constraint c" in raised.value.message


@pytest.mark.parametrize("text", HONEST)
def test_an_honest_expression_passes_as_it_is(text: str) -> None:
    assert checked_expression(text, "CHECK constraint c", COLUMNS) == text


@pytest.mark.parametrize("hostile", [text for text in HOSTILE[:50] if "/*" not in text and text != "a) OR (a"])
@pytest.mark.parametrize("around", ["a > 1 AND {}", "CASE WHEN a THEN {} END", "coalesce(b, {})", "NOT ({})"])
def test_a_hostile_part_is_found_wherever_it_is(hostile: str, around: str) -> None:
    with pytest.raises(TableExpressionRefusedError):
        checked_expression(around.format(hostile), "CHECK constraint c", COLUMNS)


def test_comments_are_taken_out_so_that_no_two_lexers_can_differ() -> None:
    assert checked_expression("a/* note */> 1 -- note", "CHECK constraint c", COLUMNS) == "a > 1"


def test_a_column_may_be_called_as_a_function_of_the_session() -> None:
    assert checked_expression("user = 'x'", "CHECK constraint c", {"user"}) == "user = 'x'"
    with pytest.raises(TableExpressionRefusedError):
        checked_expression("user() = 'x'", "CHECK constraint c", {"user"})


@pytest.mark.parametrize("name", [*COLUMN_NAMES, "x) OR java_method('a'", "`x`) OR java_method('a'"])
def test_a_quoted_name_is_a_name_whatever_is_in_it(name: str) -> None:
    text = f"`{name.replace('`', '``')}` IS NOT NULL"
    assert checked_expression(text, "NOT NULL c", {name.lower()}) == text


@pytest.mark.parametrize("text", DEFAULTS)
def test_a_default_is_a_constant(text: str) -> None:
    assert checked_expression(text, "Default of column c", COLUMNS, is_constant=True) == text


@pytest.mark.parametrize("text", NO_DEFAULTS)
def test_a_default_looks_at_no_row(text: str) -> None:
    with pytest.raises(TableExpressionRefusedError):
        checked_expression(text, "Default of column c", {*COLUMNS, "user"}, is_constant=True)


def test_an_expression_has_a_greatest_length() -> None:
    text = f"s = '{'x' * (MAX_CHARACTERS - 6)}'"
    assert checked_expression(text, "CHECK constraint c", COLUMNS) == text
    with pytest.raises(TableExpressionRefusedError, match="characters long"):
        checked_expression(text + " ", "CHECK constraint c", COLUMNS)


def test_trusting_expressions_logs_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "deltaresolver"):
        assert checked_expression("a > 0", "CHECK constraint c", COLUMNS, is_trusted=True) == "a > 0"
        assert not caplog.records
        found = checked_expression("reflect('a')", "CHECK constraint c", COLUMNS, is_trusted=True)
    assert isinstance(found, CheckedExpression)
    assert "reflect" in caplog.text


_KEPT = re.compile(
    r'(?:delta\.constraints\.[^"\\]+|delta\.generationExpression|CURRENT_DEFAULT)\\*"\s*:\s*\\*"((?:[^"\\]|\\.)*?)\\*"'
)


def recorded(root: Path) -> Iterator[str]:
    """Every expression that recorded tables and statements keep, but for what is none to delta-spark either."""
    texts = [gzip.decompress((root / f"tests/recorded/{name}.jsonl.gz").read_bytes()) for name in ("ddl", "resolver")]
    with tarfile.open(root / "tests/recorded/tables.tar.gz") as tables:
        for member in tables:
            file = tables.extractfile(member) if member.name.endswith(".json") else None
            texts += [] if file is None else [file.read()]
    for line in (line for text in texts for line in text.splitlines() if not line.startswith(b'{"expect": {"error"')):
        yield from (json.loads(f'"{found}"') for found in _KEPT.findall(line.decode("utf-8", "replace")) if found)


def test_expressions_of_recorded_tables_pass(root: Path) -> None:
    found = {text for text in recorded(root) if "SELECT" not in text}
    assert len(found) > 10
    for text in found:
        names = {name.lower() for name in re.findall(r"\w+", text)}
        checked_expression(text, "CHECK constraint c", names)


# --- who may make a Column of a text -----------------------------------------------------------------

EVALUATORS = frozenset({"expr", "selectExpr", "sql"})
LISTED = {
    "resolver/spark/writing/checked_columns.py": "what has passed the gate",
    "resolver/spark/changes/conditions.py": "what a user gave as a condition or value",
    "resolver/spark/changes/merge/source.py": "sides of a user's condition",
    "resolver/spark/reading/shown_rows.py": "what a plugin shows rows by",
    "resolver/spark/reading/marked_rows.py": "texts of ours without names",
    "resolver/spark/reading/file_facts.py": "texts of ours without names",
    "resolver/spark/demo_lake.py": "texts of ours without names",
    "resolver/spark/writing/row_count.py": "a count, a text of ours without names",
    "resolver/spark/catalog_tables.py": "statements of ours about quoted names",
    "resolver/spark/changes/partition_answers.py": "a user's condition, put to Spark beside our own reading",
    "resolver/spark/changes/own_columns.py": "no text: the SQL of a user's Column",
    "resolver/spark/names/classic_catalog.py": "no text: the SQL of a type",
    "resolver/spark/maintenance/z_order.py": "texts of ours about quoted names",
    "resolver/spark/sql/definitions.py": "the statement a user gave, to the reader of DDL",
    "resolver/spark/sql/insert_rows.py": "what a user gave as a partition's value",
    "resolver/testing/conformance/tables_data.py": "texts of ours about quoted names",
}


def evaluations(tree: ast.Module) -> list[int]:
    """The lines where a text becomes an expression or a statement of Spark."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in EVALUATORS
        and not (isinstance(node.func.value, ast.Name) and node.func.value.id not in ("functions", "f", "F", "spark"))
    ]


def test_texts_become_expressions_in_listed_places_only(root: Path) -> None:
    found = {
        path.relative_to(root).as_posix(): lines
        for folder in ("resolver", "features", "plugins")
        for path in (root / folder).rglob("*.py")
        if "pyspark" in path.read_text(encoding="utf-8")
        and (lines := evaluations(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert set(found) <= LISTED.keys(), found


def test_a_planted_evaluation_is_found() -> None:
    planted = "functions.expr(x)\nF.expr(x)\nspark.sql(x)\nself._spark.sql(x)\nrows.at(1).selectExpr(x)"
    assert evaluations(ast.parse(planted)) == [1, 2, 3, 4, 5]
