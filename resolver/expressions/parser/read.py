"""Conditions spelt so that sqlglot cannot misread them, and its trees spelt as SQL again.

sqlglot has its own view of quotes, backslashes, suffixes of numbers and the strength of `!`. It is shown a stand-in for
each text, and gets the text back when it has made its tree.
"""

from __future__ import annotations

import contextvars
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise

import sqlglot
from sqlglot import expressions as sql

from deltaresolver.expressions.text.reading import STANDARD, SqlReading, has_reference
from deltaresolver.expressions.text.spelling import Unreadable, quoted_text
from deltaresolver.expressions.text.tokens import Kind, Token, UnclosedError, tokens
from deltaresolver.model.schema import quoted

UNREADABLE = "unreadable"
"""The function that stands for what is not read: nothing evaluates it."""
_BY_NAME = ("date_trunc", "trunc")
"""Functions whose unit sqlglot replaces: a column called `month` by the unit, the text 'M' by MINUTE."""
_NAMED = "\ue002"
_STAND_IN = re.compile("\ue000(\\d+)\ue001")
_QUOTED_STAND_IN = re.compile("'\ue000(\\d+)\ue001'")
_OTHER_TYPES = frozenset({
    "x", "time", "binary", "tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long", "float", "real",
    "double", "decimal", "dec", "numeric", "boolean", "string", "char", "character", "varchar", "void",
})  # fmt: skip
"""Words before a text that make a literal of it which nothing here reads, or which Spark refuses."""
_PLAIN = re.compile(r"[^'\\]")
_DECIMAL = re.compile(r"(\d+(?:\.\d*)?|\.\d+)BD", re.IGNORECASE)
_WIDE = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)[A-Za-z]+")


def read(text: str, reading: SqlReading = STANDARD) -> sql.Expr:
    """Sqlglot's tree of a condition, with the texts in it that Spark reads. Raises `Unreadable`."""
    tree = _tree(text, reading)
    # Only Spark knows what it reads instead.
    return sql.Anonymous(this=UNREADABLE, expressions=[tree]) if has_reference(text) else tree


def _tree(text: str, reading: SqlReading) -> sql.Expr:
    try:
        found = list(tokens(text, reading))
    except UnclosedError as error:
        raise Unreadable(str(error)) from None
    with suppress(sqlglot.errors.SqlglotError):
        spelt, texts = _spelt(found, stands_in=True)
        tree = _parsed(spelt)
        if _put_back(tree, texts):
            return tree
    try:
        # sqlglot wants to look into some texts, the paths of JSON among them.
        spelt, _ = _spelt(found, stands_in=False)
        tree = _parsed(spelt)
    except sqlglot.errors.SqlglotError as error:
        raise Unreadable(str(error).splitlines()[0]) from None
    return _without_misread(tree, frozenset(token.value for token in found if token.kind is Kind.TEXT))


def _without_misread(tree: sql.Expr, texts: frozenset[str]) -> sql.Expr:
    """The tree, with each condition that holds another text replaced by one that is not evaluated."""
    if isinstance(tree, sql.And):
        for side in (tree.this, tree.expression):
            side.replace(_without_misread(side.copy(), texts))
        return tree
    if all(literal.this in texts for literal in tree.find_all(sql.Literal) if literal.is_string):
        return tree
    return sql.Anonymous(this=UNREADABLE, expressions=[tree])


def sql_of(tree: sql.Expr) -> tuple[str, Sequence[str]]:
    """The tree as Spark SQL, with stand-ins for its texts, and the texts."""
    copied, texts = tree.copy(), []
    for literal in copied.find_all(sql.Literal):
        if literal.is_string:
            texts.append(literal.this)
            literal.set("this", f"\ue000{len(texts) - 1}\ue001")
    with _quiet():
        return copied.sql(dialect="spark", comments=False, unsupported_level=sqlglot.ErrorLevel.IGNORE), texts


def with_texts(written: str, texts: Sequence[str]) -> str:
    """SQL, or a piece of it, with the texts in the place of their stand-ins."""
    return _QUOTED_STAND_IN.sub(lambda found: quoted_text(texts[int(found[1])]), written)


def _spelt(found: Sequence[Token], *, stands_in: bool) -> tuple[str, Sequence[str]]:
    """The tokens for sqlglot, and the texts that have stand-ins."""
    pieces: list[str] = []
    texts: list[str] = []
    edge = Token(Kind.SIGN, "")
    for (before, token), (_, after) in zip(pairwise([edge, *found]), pairwise([*found, edge]), strict=True):
        if token.kind is Kind.TEXT:
            word = before.value.lower() if before.kind is Kind.NAME else ""
            if stands_in and not (word == "escape" and _PLAIN.fullmatch(token.value)):
                pieces.append(f"'\ue000{len(texts)}\ue001'")
                texts.append(token.value)
            else:
                pieces.append(quoted_text(token.value))
            if word in _OTHER_TYPES:
                pieces[-2:] = [f"{UNREADABLE}({pieces[-1]})"]
        elif token.kind is Kind.SIGN:
            pieces.append("NOT" if token.value == "!" and after.value not in ("<", ">", "=") else token.value)
        else:
            is_called = token.kind in (Kind.NAME, Kind.QUOTED_NAME) and after.value == "("
            by_name = is_called and token.value.lower() in _BY_NAME
            pieces.append(quoted(f"{_NAMED}{token.value}") if by_name else _word(token))
    return " ".join(pieces), texts


def _word(token: Token) -> str:
    if token.kind is Kind.QUOTED_NAME:
        return quoted(token.value)
    if token.kind is Kind.NAME:
        return quoted(token.value) if token.value[0].isdigit() else token.value
    if (exact := _DECIMAL.fullmatch(token.value)) is not None:
        return exact[1] if "." in exact[1] else exact[1] + ".0"
    if _WIDE.fullmatch(token.value) is None:
        return token.value
    return token.value[:-1] if token.value[-1] in "dD" else f"{UNREADABLE}({token.value[:-1]})"


def _put_back(tree: sql.Expr, texts: Sequence[str]) -> bool:
    """Give literals their texts; False where not every text has exactly one place."""
    seen: list[int] = []
    for literal in list(tree.find_all(sql.Literal)):
        if not literal.is_string:
            continue
        found = _STAND_IN.fullmatch(literal.this)
        if found is not None:
            seen.append(int(found[1]))
            literal.set("this", texts[int(found[1])])
    return sorted(seen) == list(range(len(texts)))


def _parsed(text: str) -> sql.Expr:
    with _quiet():
        _ensure_soon_read(text)
        try:
            tree: sql.Expr = sqlglot.parse_one(text, dialect="spark", into=sql.Condition)
        except RecursionError:
            raise Unreadable("it is nested too deeply") from None
        except (LookupError, TypeError, AttributeError):
            # As for map(a), whose arguments the parser takes for pairs without counting them.
            raise Unreadable("some function in it cannot take these arguments") from None
    for call in tree.find_all(sql.Anonymous):
        if call.name.startswith(_NAMED):
            call.set("this", call.name.removeprefix(_NAMED))
    return tree


def _ensure_soon_read(text: str) -> None:
    """Raises `Unreadable` where names of types open more parentheses inside each other than anybody would write.

    The parser reads what stands in them once as the parameters of a type and once as arguments: twice as long for each.
    """
    if text.count("(") <= _DEEPEST_TYPES:
        return
    dialect = sqlglot.Dialect.get_or_raise("spark")
    open_ones: list[bool] = []
    types, before = 0, None
    for token in dialect.tokenize(text):
        if token.token_type is sqlglot.TokenType.L_PAREN:
            open_ones.append(before in dialect.parser_class.TYPE_TOKENS)
            types += open_ones[-1]
            if types > _DEEPEST_TYPES:
                raise Unreadable("types are nested in each other too deeply")
        elif token.token_type is sqlglot.TokenType.R_PAREN and open_ones:
            types -= open_ones.pop()
        before = token.token_type


_DEEPEST_TYPES = 10
_is_quiet: contextvars.ContextVar[bool] = contextvars.ContextVar("is_quiet", default=False)
logging.getLogger("sqlglot").addFilter(lambda _: not _is_quiet.get())


@contextmanager
def _quiet() -> Iterator[None]:
    """What sqlglot notes about a condition is for nobody; what it notes for others in the process is theirs."""
    before = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(before)
