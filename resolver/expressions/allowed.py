"""The gate for expressions that a table keeps: constraints, generated columns, defaults, conditions of features.

Whoever may write to a table may put any text there, and every later writer evaluates it. So none of it reaches an
engine but through `checked_expression`. The gate reads tokens as Spark's lexer cuts them and holds what precedes each
parenthesis against a list, since only that shows every call whatever grammar follows; the tree of the parser is asked
for the columns alone.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Self

from deltaresolver.errors import PredicateUnreadableError, TableExpressionRefusedError
from deltaresolver.expressions.allowed_functions import CLOCK, FUNCTIONS, SESSION, TRUST, TYPES, UNITS, WORDS
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.expressions.text.reading import has_reference
from deltaresolver.expressions.text.tokens import Kind, Token, UnclosedError, placed_tokens
from deltaresolver.expressions.tree import Unknown, walk
from deltaresolver.expressions.tree import columns as columns_in

logger = logging.getLogger("deltaresolver")

MAX_CHARACTERS = 100_000
"""How long an expression may be."""
_MAX_DIGITS = 1_000
"""Of one number; parsers take time by the square of them."""
_CALLABLE = FUNCTIONS | TYPES | WORDS
_BEGIN_QUERY = frozenset({"select", "from", "with"})
_MAY_BEGIN_QUERY = frozenset({"table", "values", "map", "reduce", "describe", "desc", "show"})
_OF_QUERIES = frozenset({"select", "using"})
_START = Token(Kind.SIGN, "")


class CheckedExpression(str):
    """An expression that may be evaluated: it has passed the gate, or a user has vouched for it."""

    __slots__ = ()

    @classmethod
    def of_user(cls, text: str) -> Self:
        """An expression that the caller of this library wrote: nothing is asked of it."""
        return cls(text)


def checked_expression(
    text: str, what: str, columns: Collection[str] = (), *, is_constant: bool = False, is_trusted: bool = False
) -> CheckedExpression:
    """The expression without comments, if it calls nothing but listed functions and looks at no columns but these.

    `what` names it in messages, `columns` are lowered; a constant looks at none of them. With `is_trusted` any other is
    taken as it is, with a warning. Raises `TableExpressionRefusedError`.
    """
    try:
        known = frozenset[str]() if is_constant else frozenset(columns)
        clean = _checked_text(text, known)
        _ensure_columns(clean, known)
    except (_Refused, UnclosedError) as refusal:
        reason = str(refusal)
    except PredicateUnreadableError as error:
        reason = f"cannot be read: {error.details['reason']}"
    else:
        return CheckedExpression(clean)
    if is_trusted:
        logger.warning("%s is evaluated because expressions are trusted, although it %s: %s", what, reason, text[:500])
        return CheckedExpression(text)
    raise _refused(text, what, reason)


def same_value(column: str, expression: CheckedExpression) -> CheckedExpression:
    """The condition that a column, written as SQL, holds the value of the expression."""
    return CheckedExpression(f"{column} <=> ({expression})")


class _Refused(Exception):  # noqa: N818 - a reason, which becomes an error with a code
    """Why an expression does not pass."""


@lru_cache(maxsize=1024)
def _checked_text(text: str, columns: frozenset[str]) -> str:
    if len(text) > MAX_CHARACTERS:
        raise _Refused(f"is {len(text):,} characters long, and {MAX_CHARACTERS:,} are read")
    if has_reference(text):
        raise _Refused("holds ${...}, for which Spark puts a setting or a variable of the environment")
    pieces, found, end = [], [_START, _START], 0
    for token, first, after in placed_tokens(text):
        if token.kind is Kind.NUMBER and after - first > _MAX_DIGITS:
            raise _Refused(f"holds a number of {after - first:,} characters")
        # A comment becomes a blank: two lexers may not agree on where it ends.
        pieces += [" "] if first > end else []
        pieces.append(text[first:after])
        found.append(token)
        end = after
    found.append(_START)
    for place in range(2, len(found) - 1):
        _ensure_harmless(found[place - 2 : place + 2], columns)
    return "".join(pieces).strip()


def _ensure_harmless(near: Sequence[Token], columns: frozenset[str]) -> None:
    """`near` are two tokens, the one that is judged, and the next."""
    before, previous, token, following = near
    word = token.value.lower()
    if token.kind is Kind.SIGN and token.value == "(":
        _ensure_callable(before, previous)
        _ensure_no_query(following)
    elif token.kind not in (Kind.NAME, Kind.QUOTED_NAME) or previous.value == ".":
        return
    elif token.kind is Kind.NAME and word in _OF_QUERIES and word not in columns:
        raise _Refused("holds a query")
    elif token.kind is Kind.NAME and word in _MAY_BEGIN_QUERY and previous.value == "(":
        _ensure_value(following)
    elif word in SESSION and word not in columns:
        raise _Refused(f"asks the session for {word}")


def _ensure_callable(before: Token, called: Token) -> None:
    """What stands before a parenthesis is a listed function, or nothing that Spark could call."""
    if called.kind is Kind.SIGN:
        if called.value in (")", "]", "}", "."):
            raise _Refused(f"calls what {called.value!r} ends")
    elif called.kind in (Kind.TEXT, Kind.NUMBER):
        raise _Refused("calls a literal")
    elif before.value == "." and before.kind is Kind.SIGN:
        raise _Refused(f"calls {called.value}, a function of some schema")
    elif called.value.lower() not in (_CALLABLE if called.kind is Kind.NAME else FUNCTIONS):
        raise _Refused(f"calls {called.value}, which is not among the functions that a table may have called")


def _ensure_no_query(following: Token) -> None:
    if following.kind is Kind.NAME and following.value.lower() in _BEGIN_QUERY:
        raise _Refused("holds a query")


def _ensure_value(following: Token) -> None:
    """After `(table` and its like comes what follows a column, or the parenthesis of a listed function."""
    if following.kind is Kind.SIGN or (following.kind is Kind.NAME and following.value.lower() in WORDS):
        return
    raise _Refused("holds a query")


def _ensure_columns(text: str, columns: frozenset[str]) -> None:
    """Raises `_Refused` for what is neither one of these columns nor bound by a lambda."""
    tree = parse_predicate(text).tree
    unknown = [node for node in walk(tree) if isinstance(node, Unknown)]
    if any(node.has_query for node in unknown):
        raise _Refused("holds a query")
    bound = frozenset(name for node in unknown for name in node.bound)
    for column in columns_in(tree):
        name = column.path[0].lower()
        if name not in columns and name not in bound and name not in UNITS and name not in CLOCK:
            raise _Refused(f"looks at {column.path[0]}, which is not a column it may look at")


def _refused(text: str, what: str, reason: str) -> TableExpressionRefusedError:
    shown = text if len(text) <= 500 else f"{text[:500]}..."
    return TableExpressionRefusedError(
        f"{what} of the table is {shown!r}, which {reason}. Nothing was evaluated.",
        fix=f"Correct the table; or, if you trust everybody who may write to it, pass trust_expressions=True or set "
        f"{TRUST} to true.",
        details={"what": what, "expression": shown, "reason": reason},
    )
