"""`${...}`, for which Spark puts a setting before it looks at quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.expressions.conditions import parse_predicate, standard_text
from deltaresolver.expressions.names import TargetCondition, TargetNames, about_target
from deltaresolver.expressions.text.reading import SqlReading, has_reference
from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.expressions.tree import Compared, Literal, Unknown
from deltaresolver.spark.sql.parameters import literal

PIECES = st.lists(st.sampled_from(["$", "{", "}", "\\", "'", "env:", "x", "u0024", "${env:HOME}", " "])).map("".join)
READINGS = st.builds(SqlReading, concatenates=st.booleans(), keeps_escapes=st.booleans(), quotes_names=st.booleans())


@given(PIECES, READINGS)
def test_no_value_becomes_a_reference(text: str, reading: SqlReading) -> None:
    assert not has_reference(quoted_text(text))
    assert not has_reference(literal(text, reading))


@given(PIECES)
def test_a_value_is_read_again_as_it_was(text: str) -> None:
    tree = parse_predicate(f"a = {quoted_text(text)}").tree
    assert isinstance(tree, Compared)
    assert isinstance(tree.right, Literal)
    assert tree.right.value == text


@pytest.mark.parametrize(
    "text", ["a = '${env:X}'", "a = 1 AND b = '${x}'", "`${x}` = 1", "a = r'${x}'", "'\\${x}' = a"]
)
def test_a_condition_with_a_reference_is_sparks_alone(text: str) -> None:
    found = parse_predicate(text)
    assert isinstance(found.tree, Unknown)
    assert [str(part) for part in found.parts()] == [text]


@pytest.mark.parametrize("text", ["a = '${'", "a = '$ {x}'", "a = '${x'", "a = '${ }'", "a = '\\u0024{x}'"])
def test_what_spark_leaves_alone_is_read(text: str) -> None:
    assert isinstance(parse_predicate(text).tree, Compared)


@pytest.mark.parametrize("reading", [SqlReading(), SqlReading(keeps_escapes=True), SqlReading(concatenates=True)])
def test_a_reference_stays_one_however_a_session_reads(reading: SqlReading) -> None:
    assert has_reference(standard_text("a = '${x}' AND b = 'c'", reading))


@pytest.mark.parametrize("text", ["t.a = '${x}'", "t.a = '${x}' AND t.b = 1", "t.a = X 'zz'"])
def test_what_only_spark_reads_gives_no_condition_on_the_table_alone(text: str) -> None:
    columns = frozenset({"a", "b"})
    assert about_target(text, TargetNames(columns, "t", frozenset())) == TargetCondition("true", is_all=False)
