"""The text of a condition in tokens, as Spark's lexer cuts it, with every literal's value.

Which text a literal stands for depends on settings of the session. It is found here, so that nothing that comes later
has an opinion of its own about quotes and backslashes.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator

import attrs

from deltaresolver.expressions.text.reading import STANDARD, SqlReading


class Kind(enum.Enum):
    """What a token is."""

    TEXT = "text"
    NUMBER = "number"
    NAME = "name"
    QUOTED_NAME = "quoted name"
    SIGN = "sign"


@attrs.frozen(slots=True)
class Token:
    """A piece of SQL. `value` is what a literal or a quoted name stands for, else the piece itself."""

    kind: Kind
    value: str


class UnclosedError(ValueError):
    """A quote, name or comment without an end."""


_SPACE = re.compile(r"\s+")
_LINE_COMMENT = re.compile(r"--(?:\\\n|[^\r\n])*\r?\n?")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_QUOTED = {
    "'": re.compile(r"'(?:[^'\\]|\\.|'')*'", re.DOTALL),
    '"': re.compile(r'"(?:[^"\\]|\\.|"")*"', re.DOTALL),
}
_RAW = re.compile(r"""[rR](?:'[^']*'|"[^"]*")""")
_BACKQUOTED = re.compile(r"`((?:[^`]|``)*)`")
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:BD|[LSYFD])?(?!\w)", re.ASCII | re.IGNORECASE)
_NAME = re.compile(r"\w+")
_SIGN = re.compile(r"<=>|<>|!=|<=|>=|==|\|\||::|->|[^\w\s]")


def tokens(text: str, reading: SqlReading = STANDARD) -> Iterator[Token]:
    """The tokens of `text` without blanks and comments; texts beside each other are one. Raises `UnclosedError`."""
    waiting: str | None = None
    for token in _pieces(text, reading):
        if token.kind is Kind.TEXT:
            waiting = token.value if waiting is None else waiting + token.value
            continue
        if waiting is not None:
            yield Token(Kind.TEXT, waiting)
            waiting = None
        yield token
    if waiting is not None:
        yield Token(Kind.TEXT, waiting)


def _pieces(text: str, reading: SqlReading) -> Iterator[Token]:
    return (token for token, _, _ in placed_tokens(text, reading))


def placed_tokens(text: str, reading: SqlReading = STANDARD) -> Iterator[tuple[Token, int, int]]:
    """Every token with where it begins and ends; texts beside each other are several. Raises `UnclosedError`."""
    place = 0
    while place < len(text):
        after = _after_blank(text, place)
        if after > place:
            place = after
            continue
        first = place
        token, place = _piece(text, place, reading)
        yield token, first, place


def _after_blank(text: str, place: int) -> int:
    found = _SPACE.match(text, place) or _LINE_COMMENT.match(text, place)
    if found is not None:
        return found.end()
    return _after_comment(text, place) if text.startswith("/*", place) else place


def _after_comment(text: str, place: int) -> int:
    """Comments stand within comments."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, place):
        depth += 1 if edge[0] == "/*" else -1
        if depth == 0:
            return edge.end()
    raise UnclosedError("a comment is not closed")


def _piece(text: str, place: int, reading: SqlReading) -> tuple[Token, int]:
    if text[place] in "'\"":
        return _quoted(text, place, reading)
    if (found := _RAW.match(text, place)) is not None:
        # Spark takes off what it takes off any other literal then: the first character and the last.
        meant = found[0][1:-1] if reading.keeps_escapes else found[0][2:-1]
        return Token(Kind.TEXT, meant), found.end()
    if (found := _BACKQUOTED.match(text, place)) is not None:
        return Token(Kind.QUOTED_NAME, found[1].replace("``", "`")), found.end()
    if text[place] == "`":
        raise UnclosedError("a name in backquotes is not closed")
    for kind, expression in ((Kind.NUMBER, _NUMBER), (Kind.NAME, _NAME), (Kind.SIGN, _SIGN)):
        if (found := expression.match(text, place)) is not None:
            return Token(kind, found[0]), found.end()
    raise UnclosedError(f"{text[place]!r} is not a character of SQL")


def _quoted(text: str, place: int, reading: SqlReading) -> tuple[Token, int]:
    quote = text[place]
    found = _QUOTED[quote].match(text, place)
    if found is None:
        raise UnclosedError("a quoted text is not closed")
    inside = found[0][1:-1]
    if quote == '"' and reading.quotes_names:
        return Token(Kind.QUOTED_NAME, inside.replace('""', '"')), found.end()
    return Token(Kind.TEXT, _meant(inside, quote, reading)), found.end()


_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([01][0-7]{2})|\\(.)|(''|\"\")", re.DOTALL)
_NAMED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def _meant(inside: str, quote: str, reading: SqlReading) -> str:
    """The text that a literal's inside stands for."""
    if reading.keeps_escapes:
        return inside

    def one(found: re.Match[str]) -> str:
        if found[5] is not None:
            if found[5][0] != quote:
                return found[5]
            return "" if reading.concatenates else quote
        if found[4] is not None:
            return _NAMED.get(found[4], found[4])
        return _character(int(found[1] or found[2], 16) if found[3] is None else int(found[3], 8))

    return _joined(_ESCAPE.sub(one, inside))


def _character(code: int) -> str:
    return chr(code) if code < 0x110000 else "\ufffd"


def _joined(text: str) -> str:
    """Two halves of a character beyond 16 bits are that character; a half alone is kept."""
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") if _paired(text) else text


def _paired(text: str) -> bool:
    try:
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return False
    return True
