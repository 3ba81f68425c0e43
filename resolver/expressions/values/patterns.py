"""LIKE, ILIKE and RLIKE on texts, where Python's regular expressions can say exactly what Spark says."""

from __future__ import annotations

import math
import re
from typing import Any

from deltaresolver.expressions.compare import UNKNOWABLE

_SAFE_EXPRESSION = re.compile(
    r"\^?(?:(?:[\w /=@,:;<>!~&%'\"-]|\\[.dws]|\.|\[\^?[\w /=,:.-]+\]|\((?!\?)|\))(?:[*+?](?![*+?]))?|\|)*\$?", re.ASCII
)


def like_expressions(pattern: str, escape: str) -> list[str] | None:
    """What lies between the `%` of a pattern of LIKE, as regular expressions; None where Spark would refuse it."""
    found, characters = [[""]], iter(pattern)
    for character in characters:
        if character == escape:
            meant = next(characters, "")
            if meant not in ("%", "_", escape):
                return None
            found[-1].append(re.escape(meant))
        elif character == "%":
            found.append([])
        else:
            found[-1].append("." if character == "_" else re.escape(character))
    return ["".join(parts) for parts in found]


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
    expressions = like_expressions(pattern, escape)
    return UNKNOWABLE if expressions is None else _follow_each_other(expressions, value)


def _follow_each_other(expressions: list[str], value: str) -> bool:
    """Whether these are found in this order, the first at the beginning of the text and the last at its end.

    Each of fixed length, so that the first place is as good as any: one expression of all of them with `.*` in between
    would try every combination of places.
    """
    first, *others = (re.compile(one, re.DOTALL) for one in expressions)
    if not others:
        return first.fullmatch(value) is not None
    found: re.Match[str] | None = first.match(value)
    for one in others[:-1]:
        found = None if found is None else one.search(value, found.end())
    if found is None:
        return False
    *_, last = others
    start = len(value) - _length(expressions[-1])
    return start >= found.end() and last.fullmatch(value, start) is not None


def _length(expression: str) -> int:
    """How many characters an expression of single characters takes."""
    return len(re.sub(r"\\(.)", r"\1", expression, flags=re.DOTALL))


def searches(value: Any, pattern: Any) -> Any:
    """RLIKE."""
    if not isinstance(value, str) or not isinstance(pattern, str) or not is_plain_expression(pattern):
        return UNKNOWABLE
    if not _ends_soon(pattern, len(value)):
        return UNKNOWABLE
    try:
        return re.search(pattern, value, re.ASCII) is not None
    except re.error:
        return UNKNOWABLE


def _ends_soon(pattern: str, length: int) -> bool:
    """Whether Python, which tries one way after another, has few ways to try on a text of this length."""
    repetitions = sum(pattern.count(sign) for sign in "*+?")
    if _REPEATED_GROUP.search(pattern):
        return repetitions == 1 and "|" not in pattern
    return (repetitions + 1) * math.log(length + 1) <= math.log(_MAX_STEPS)


_REPEATED_GROUP = re.compile(r"\)[*+?]")
_MAX_STEPS = 10_000_000
