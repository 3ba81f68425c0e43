"""Texts in SQL: the values of their literals, by the settings of a session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import PredicateUnreadableError
from deltaresolver.expressions.compare import UNKNOWABLE
from deltaresolver.expressions.conditions import parse_predicate, standard_text
from deltaresolver.expressions.scalar import evaluate
from deltaresolver.expressions.text.reading import STANDARD, SqlReading
from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.expressions.text.tokens import Kind, UnclosedError, tokens
from deltaresolver.expressions.text.written import written
from tests import nasty

TEXTS = st.sampled_from(nasty.STRINGS) | st.text()
JOINED = SqlReading(concatenates=True)
ESCAPED = SqlReading(keeps_escapes=True)
NAMED = SqlReading(quotes_names=True)


def value(literal: str, reading: SqlReading = STANDARD) -> object:
    tree = parse_predicate(f"c = {literal}", reading).tree
    return evaluate(tree.operands[1], lambda _: (UNKNOWABLE, ""))


@given(TEXTS)
def test_every_spelling_of_a_text_is_that_text(text: str) -> None:
    for way in (*nasty.string_literals(text), quoted_text(text)):
        assert value(way) == text


@given(TEXTS, TEXTS)
def test_what_is_written_is_read_again(text: str, other: str) -> None:
    tree = parse_predicate(f"c = {quoted_text(text)} AND d LIKE {quoted_text(other)}").tree
    assert parse_predicate(written(tree)).tree == tree


@given(st.text(alphabet="a'\"\\r \n"), st.sampled_from([JOINED, ESCAPED, NAMED]))
def test_the_standard_spelling_means_the_same(text: str, reading: SqlReading) -> None:
    try:
        found = list(tokens(text, reading))
    except UnclosedError:
        return
    assert list(tokens(standard_text(text, reading))) == found


@pytest.mark.parametrize(
    ("literal", "reading", "expected"),
    [
        ("'O''Brien'", STANDARD, "O'Brien"),
        ("'O''Brien'", JOINED, "OBrien"),
        ('"a""b"', STANDARD, 'a"b'),
        ('"a""b"', JOINED, "ab"),
        ("'a' 'b'", STANDARD, "ab"),
        ("'a' -- x\n 'b'", STANDARD, "ab"),
        ("'a''b' 'c'", STANDARD, "a'bc"),
        ("r'a\\n'", STANDARD, "a\\n"),
        ('R"a\'b"', STANDARD, "a'b"),
        ("'a\\nb'", STANDARD, "a\nb"),
        ("'a\\nb'", ESCAPED, "a\\nb"),
        ("'\\u00e9\\U0001f600\\101'", STANDARD, "é😀A"),
        ("'\\ud83d\\ude00'", STANDARD, "😀"),
        ("'\\%\\_\\0\\Z\\q'", STANDARD, "\\%\\_\0\x1aq"),
        ("X'1F'", STANDARD, UNKNOWABLE),
        ("1e400", STANDARD, UNKNOWABLE),
    ],
)
def test_literals_have_the_values_that_spark_gives_them(literal: str, reading: SqlReading, expected: object) -> None:
    assert value(literal, reading) == expected


def test_double_quotes_enclose_a_name_where_the_session_wants_it() -> None:
    assert [token.kind for token in tokens('"a""b"', NAMED)] == [Kind.QUOTED_NAME]
    assert parse_predicate('"a""b" = 1', NAMED).columns == {'a"b'}


@pytest.mark.parametrize(
    "text",
    [*nasty.ODD_CONDITIONS, "(" * 400 + "1" + ")" * 400, "NOT " * 900 + "b", "1e", "'", "/*", "`a", "-" * 400 + "1",
     "a" + " + a" * 2000, "a = 1" + " AND a = 1" * 3000, "call x()", "get_json_object(a, 'x') = 'y'"],
)  # fmt: skip
def test_any_text_ends_in_a_value_or_an_error_of_this_library(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    try:
        tree = parse_predicate(text).tree
    except PredicateUnreadableError:
        tree = None
    if tree is not None:
        evaluate(tree, lambda _: (1, "integer"))
        list(parse_predicate(text).parts())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("escape", "meant"),
    [
        ("0", "\0"),
        ("b", "\b"),
        ("n", "\n"),
        ("r", "\r"),
        ("t", "\t"),
        ("Z", "\x1a"),
        ("%", "\\%"),
        ("_", "\\_"),
        ("q", "q"),
    ],
)
def test_each_escape_with_a_name_is_its_character(escape: str, meant: str) -> None:
    assert value(f"'a\\{escape}c'") == f"a{meant}c"


def test_two_halves_of_a_character_among_others_are_that_character() -> None:
    assert value(r"'a\ud83d\ude00b'") == "a\N{GRINNING FACE}b"
    assert value(r"'a\ud83db'") == "a\ud83db"
