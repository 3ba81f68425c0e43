"""Values of parameters as literals of Spark SQL."""

from __future__ import annotations

import datetime
import decimal

import pytest

from deltaresolver.errors import SqlParameterError
from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.expressions.text.tokens import Kind, placed_tokens
from deltaresolver.spark.sql.parameters import bound, literal
from deltaresolver.spark.sql.words import StatementWords
from tests.nasty import PLACES_OF_PARAMETERS, STRINGS


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "TRUE"),
        (5, "5"),
        (-5, "(-5)"),
        (1 << 40, "(1099511627776L)"),
        (1.5, "1.5D"),
        (-1.5, "(-1.5D)"),
        (-0.0, "(-0.0D)"),
        (decimal.Decimal(-7), "(-7BD)"),
        (float("nan"), "CAST('nan' AS DOUBLE)"),
        (decimal.Decimal("1.50"), "1.50BD"),
        (b"\x00a", "X'0061'"),
        (datetime.date(2026, 1, 2), "DATE '2026-01-02'"),
        (datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.UTC), "TIMESTAMP '2026-01-02 03:00:00+00:00'"),
    ],
)
def test_values_are_literals_of_their_type(value: object, text: str) -> None:
    assert literal(value) == text


@pytest.mark.parametrize("text", STRINGS)
@pytest.mark.parametrize(
    "reading",
    [SqlReading(), SqlReading(keeps_escapes=True), SqlReading(concatenates=True), SqlReading(quotes_names=True)],
)
def test_every_text_is_read_again_as_it_was(text: str, reading: SqlReading) -> None:
    found = [token for token, _, _ in placed_tokens(literal(text, reading), reading)]
    if found[0].kind is Kind.TEXT:
        assert "".join(token.value for token in found) == text
    else:
        assert bytes.fromhex(found[3].value).decode("utf-8", "surrogatepass") == text


@pytest.mark.parametrize(
    ("text", "args", "result"),
    [
        ("a = :x AND b = ':x' AND c = :y", {"x": 1, "y": "z"}, "a = 1 AND b = ':x' AND c = 'z'"),
        ("v:x = :x", {"x": 1}, "v:x = 1"),
        ("a = :other", {"x": 1}, "a = :other"),
        ("VALUES (?, '?', ?) -- ?", [1, None], "VALUES (1, '?', NULL) -- ?"),
        ("a = :x", None, "a = :x"),
        # None of them becomes part of what stands beside it.
        ("a > b-:x AND c", {"x": -1.5}, "a > b-(-1.5D) AND c"),
        ("a > b-? AND c", [decimal.Decimal("-1.5")], "a > b-(-1.5BD) AND c"),
        ("a=?AND b=:x", [1], "a=1 AND b=:x"),
        ("a = 'x':y", {"y": "z"}, "a = 'x'('z')"),
        ("a = ? 'x'", ["z"], "a = ('z') 'x'"),
        ("a = ? ?", ["y", "z"], "a = 'y' ('z')"),
        ("a = r?", ["z"], "a = r 'z'"),
    ],
)
def test_parameters_are_replaced_and_nothing_else(text: str, args: object, result: str) -> None:
    assert bound(StatementWords.of(text), args) == result  # type: ignore[arg-type]


@pytest.mark.parametrize("text", PLACES_OF_PARAMETERS)
@pytest.mark.parametrize(
    "value", [-1, -1.5, -0.0, decimal.Decimal("-1.5"), 7, 1 << 40, 2.5, "z", "-", b"z", None, True]
)
def test_a_value_is_a_literal_of_its_own_wherever_it_stands(text: str, value: object) -> None:
    """Without parentheses, the words are those of the statement and of the literal."""

    def words(sql: str) -> list[str]:
        return [repr(token) for token, _, _ in placed_tokens(sql, SqlReading()) if token.value not in ("(", ")")]

    expected: list[str] = []
    for token, _, _ in placed_tokens(text, SqlReading()):
        put_in = token.kind is Kind.SIGN and token.value == "?"
        expected += (
            words(literal(value)) if put_in else words(f"'{token.value}'" if token.kind is Kind.TEXT else token.value)
        )
    assert words(bound(StatementWords.of(text), [value] * 4)) == expected


def test_a_missing_value_and_a_strange_one_are_refused() -> None:
    with pytest.raises(SqlParameterError, match="more parameters"):
        bound(StatementWords.of("a = ? AND b = ?"), [1])
    with pytest.raises(SqlParameterError, match="list"):
        literal([1])
