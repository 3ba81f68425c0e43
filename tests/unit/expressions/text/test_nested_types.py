"""How deep names of types may open parentheses in each other: the parser takes twice as long for each."""

from __future__ import annotations

import pytest

from deltaresolver.errors import PredicateUnreadableError
from deltaresolver.expressions.conditions import parse_predicate


def nested(opening: str, times: int) -> str:
    return opening * times + "1" + ")" * opening.count("(") * times


@pytest.mark.parametrize(
    "text",
    [
        nested("decimal(", 10),
        nested("(char(", 10),
        nested("upper(", 30),
        nested("(", 30),
        " + ".join(["int(a)"] * 30),
        nested("decimal(", 10) + " + " + nested("date(", 10),
    ],
)
def test_ten_types_in_each_other_are_read(text: str) -> None:
    assert not parse_predicate(f"{text} = 1").columns - {"a"}


@pytest.mark.parametrize(
    "text", [nested("decimal(", 11), nested("(char(", 11), nested("upper(date(", 11), "int(a) + " + nested("int(", 11)]
)
def test_eleven_are_refused(text: str) -> None:
    with pytest.raises(PredicateUnreadableError, match="types are nested in each other too deeply"):
        parse_predicate(f"{text} = 1")
