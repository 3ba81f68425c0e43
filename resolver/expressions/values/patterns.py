"""LIKE, ILIKE and RLIKE on texts, where Python's regular expressions can say exactly what Spark says."""

from __future__ import annotations

import re
from typing import Any

from deltaresolver.expressions.compare import UNKNOWABLE

_SAFE_EXPRESSION = re.compile(
    r"\^?(?:(?:[\w /=@,:;<>!~&%'\"-]|\\[.dws]|\.|\[\^?[\w /=,:.-]+\]|\((?!\?)|\))(?:[*+?](?![*+?]))?|\|)*\$?", re.ASCII
)


def like_expression(pattern: str, escape: str) -> str | None:
    """A pattern of LIKE as a regular expression; None where Spark would refuse it."""
    parts = {"%": ".*", "_": "."}
    found, characters = [], iter(pattern)
    for character in characters:
        if character == escape:
            meant = next(characters, "")
            if meant not in ("%", "_", escape):
                return None
            found.append(re.escape(meant))
        else:
            found.append(parts.get(character, re.escape(character)))
    return "".join(found)


def is_plain_expression(pattern: str) -> bool:
    """Whether Java and Python read the regular expression alike."""
    return _SAFE_EXPRESSION.fullmatch(pattern) is not None


def matches(value: Any, pattern: Any, escape: str, *, ignores_case: bool) -> Any:
    """LIKE, or ILIKE."""
    if value is None or pattern is None:
        return None
    if not isinstance(value, str) or not isinstance(pattern, str):
        return UNKNOWABLE
    if ignores_case:
        # Letters that are alike without being each other's lower case are two letters for Spark.
        value, pattern = value.lower(), pattern.lower()
    expression = like_expression(pattern, escape)
    return UNKNOWABLE if expression is None else re.fullmatch(expression, value, re.DOTALL) is not None


def searches(value: Any, pattern: Any) -> Any:
    """RLIKE."""
    if not isinstance(value, str) or not isinstance(pattern, str) or not is_plain_expression(pattern):
        return UNKNOWABLE
    try:
        return re.search(pattern, value, re.ASCII) is not None
    except re.error:
        return UNKNOWABLE
