"""A statement of Spark SQL as a stream of words, names and literals.

sqlglot cuts it into tokens. It has no tree for much of Delta's DDL, and its trees do not keep the text of an
expression, which is what the log stores; so the grammar is read here, token by token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

import attrs
import sqlglot.errors
from sqlglot.dialects.dialect import Dialect

from deltaresolver.errors import StatementUnreadableError, StatementUnsupportedError
from deltaresolver.model.schema import FieldPath

Read = TypeVar("Read")

_WORD = re.compile(r"\w+")
_QUOTED, _STRINGS, _NUMBER = "IDENTIFIER", frozenset({"STRING", "RAW_STRING"}), "NUMBER"
_ANGLE, _NO_SPACE = re.compile("[<>]"), re.compile(r"\S+")
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@attrs.frozen(slots=True)
class StatementToken:
    """One token: what it means, how it is written, and where it begins and ends in the statement."""

    kind: str
    value: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str | None:
        """The token as a keyword, in capitals; None for what is quoted or no word."""
        return self.text.upper() if self.kind != _QUOTED and _WORD.fullmatch(self.text) else None


class TokenStream:
    """Reads a statement from left to right. What cannot be read raises `StatementUnreadableError`.

    timestamp   what `TIMESTAMP` means as a column's type, which a session may choose
    """

    def __init__(self, sql: str, timestamp: str = "timestamp") -> None:
        self.sql = sql
        self.timestamp = timestamp
        self._tokens = list(_tokens(sql))
        while self._tokens and self._tokens[-1].text == ";":
            self._tokens.pop()
        self._next = 0

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self._next >= len(self._tokens)

    def sees(self, *symbols: str) -> bool:
        """Whether these keywords or signs come next."""
        upcoming = self._tokens[self._next : self._next + len(symbols)]
        return len(upcoming) == len(symbols) and all(map(_is, upcoming, symbols))

    def takes(self, *symbols: str) -> bool:
        """Whether these come next; if so they are read."""
        found = self.sees(*symbols)
        if found:
            self._next += len(symbols)
        return found

    def takes_any(self, *words: str) -> str | None:
        """Whichever of these comes next, read; None if none does."""
        return next((word for word in words if self.takes(word)), None)

    def expect(self, *symbols: str) -> None:
        """Read these, or raise."""
        for symbol in symbols:
            if not self.takes(symbol):
                raise self.unreadable(f"{symbol} is expected")

    def expect_end(self) -> None:
        """Raise if anything is left."""
        if not self.at_end:
            raise self.unreadable("nothing more is expected")

    def read_name(self) -> str:
        """One identifier, quoted or not."""
        token = self._read("a name")
        if token.kind != _QUOTED and token.word is None:
            raise self.unreadable("a name is expected", token)
        return token.value

    def read_path(self) -> FieldPath:
        """Identifiers with dots between them."""
        path = [self.read_name()]
        while self.takes("."):
            path.append(self.read_name())
        return tuple(path)

    def read_string(self) -> str:
        """A text in quotes; several in a row are one, and a doubled quote is a quote."""
        first = token = self._read("a text in quotes")
        if token.kind not in _STRINGS:
            raise self.unreadable("a text in quotes is expected", token)
        value = token.value
        while not self.at_end and self._tokens[self._next].kind in _STRINGS:
            token, before = self._tokens[self._next], token
            value += (first.text[0] if token.start == before.end else "") + token.value
            self._next += 1
        return value

    @property
    def sees_another_name(self) -> bool:
        """Whether a name comes next and another one right after it: a column and its type, as a rule."""
        pair = self._tokens[self._next : self._next + 2]
        return len(pair) == 2 and all(token.kind == _QUOTED or token.word is not None for token in pair)

    @property
    def sees_string(self) -> bool:
        """Whether a text in quotes comes next."""
        return not self.at_end and self._tokens[self._next].kind in _STRINGS

    def next_words(self, count: int) -> str | None:
        """The next words in capitals, with spaces between; None where fewer follow or one of them is not a word."""
        words = [token.word for token in self._tokens[self._next : self._next + count]]
        return " ".join(filter(None, words)) if len(words) == count and all(words) else None

    def read_integer(self) -> int:
        """A whole number, with its sign."""
        sign = -1 if self.takes("-") else 1
        token = self._read("a whole number")
        if not token.text.rstrip("lL").isdecimal():
            raise self.unreadable("a whole number is expected", token)
        return sign * int(token.text.rstrip("lL"))

    def read_literal(self) -> str:
        """A text, a number or a truth value, as text; how table properties are written."""
        if self.sees_string:
            return self.read_string()
        sign = "-" if self.takes("-") else ""
        token = self._read("a value")
        return sign + (token.text.lower() if token.word in ("TRUE", "FALSE") else token.text)

    def read_parenthesized(self) -> tuple[StatementToken, ...]:
        """The tokens between the next parenthesis and the one that closes it."""
        self.expect("(")
        inner = self.read_until(")")
        self.expect(")")
        return inner

    def read_until(self, *stops: str) -> tuple[StatementToken, ...]:
        """The tokens up to the first of `stops` outside parentheses, which is left, or to the end. At least one."""
        start, open_pairs = self._next, list[str]()
        while not self.at_end and (open_pairs or not any(self.sees(*stop.split()) for stop in stops)):
            text = self._tokens[self._next].text
            if text in _PAIRS:
                open_pairs.append(_PAIRS[text])
            elif text in _PAIRS.values() and (not open_pairs or open_pairs.pop() != text):
                raise self.unreadable(f"{text} closes nothing", self._tokens[self._next])
            self._next += 1
        if self._next == start or open_pairs:
            raise self.unreadable(f"{open_pairs.pop()} is missing" if open_pairs else "an expression is expected")
        return tuple(self._tokens[start : self._next])

    def written(self, tokens: tuple[StatementToken, ...]) -> str:
        """The text of the statement from the first of the tokens to the last."""
        return self.sql[tokens[0].start : tokens[-1].end]

    def unreadable(self, reason: str, at: StatementToken | None = None) -> StatementUnreadableError:
        """The error for what comes next, or for the token given."""
        token = at or (None if self.at_end else self._tokens[self._next])
        return unreadable(self.sql, reason, None if token is None else token.text)

    def unsupported(
        self, reason: str, fix: str = "Run it in Spark.", condition: str | None = None
    ) -> StatementUnsupportedError:
        """The error for a statement that this library does not carry out; delta-spark's condition, if it does not."""
        return StatementUnsupportedError(
            f"The statement cannot be carried out here: {reason}.",
            fix=fix,
            details={"statement": self.sql, "reason": reason},
            delta_condition=condition,
        )

    def _read(self, wanted: str) -> StatementToken:
        if self.at_end:
            raise self.unreadable(f"{wanted} is expected")
        self._next += 1
        return self._tokens[self._next - 1]


def unreadable(sql: str, reason: str, found: str | None) -> StatementUnreadableError:
    """The error for a statement that breaks the grammar where `found` stands, or at its end."""
    place = "at the end" if found is None else f"where {found!r} stands"
    return StatementUnreadableError(
        f"The statement cannot be read: {reason} {place}.",
        fix="Write it as Spark SQL does; names with special characters stand in backticks.",
        details={"statement": sql, "reason": reason, "found": found},
    )


def _is(token: StatementToken, symbol: str) -> bool:
    return symbol in (token.text, token.word)


_dialect = Dialect.get_or_raise("spark")


def _tokens(sql: str) -> Iterator[StatementToken]:
    try:
        found = _dialect.tokenize(sql)
    except sqlglot.errors.SqlglotError as error:
        raise unreadable(sql, str(error).splitlines()[0], None) from None
    end = -1
    for token in found:
        # A number such as 1L comes as several tokens with one place.
        if token.start < end:
            continue
        end = token.end + 1
        text = sql[token.start : end]
        if token.token_type.name == _QUOTED or token.token_type.name.endswith("STRING"):
            yield StatementToken(token.token_type.name, token.text, text, token.start, end)
        else:
            yield from _parts(token.token_type.name, text, token.start)


def _parts(kind: str, text: str, start: int) -> Iterator[StatementToken]:
    """The words of a keyword such as CLUSTER BY, and the signs where two types end together: `>>` is not a shift."""
    pattern = _ANGLE if text != "<>" and set(text) <= {"<", ">"} else _NO_SPACE
    for found in pattern.finditer(text):
        yield StatementToken(kind, found[0], found[0], start + found.start(), start + found.end())


def read_all(text: str, read: Callable[[TokenStream], Read]) -> Read:
    """What `read` finds in a text that holds nothing else. Raises `StatementUnreadableError`."""
    stream = TokenStream(text)
    found = read(stream)
    stream.expect_end()
    return found
