"""Parameters of statements, `:name` and `?`, put in as literals where this library reads the statement itself."""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from deltaresolver.errors import SqlParameterError
from deltaresolver.expressions.text.reading import STANDARD, SqlReading
from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.expressions.text.tokens import Kind
from deltaresolver.spark.sql.words import StatementWords, Word

Arguments = Mapping[str, Any] | Sequence[Any] | None
_INT = 1 << 31
_LONG = 1 << 63


def count_marks(words: StatementWords) -> int:
    """How many positional parameters the words have."""
    return sum(word.key == "?" for word in words.words)


def bound(words: StatementWords, args: Arguments) -> str:
    """The text with a literal for each parameter. Raises `SqlParameterError`."""
    if not args:
        return words.text
    pieces: list[str] = []
    place, number = 0, 0
    listed = list(args) if not isinstance(args, Mapping) else []
    for index, word in enumerate(words.words):
        value, behind = _MISSING, index + 1
        if isinstance(args, Mapping):
            name = _named(words, index)
            if name is not None and name in args:
                value, behind = args[name], index + 2
        elif word.key == "?":
            if number >= len(listed):
                raise SqlParameterError(
                    f"The statement has more parameters than the {len(listed)} values that are given.",
                    fix="Give one value for each ?.",
                    details={"values": len(listed)},
                    delta_condition="UNBOUND_SQL_PARAMETER",
                )
            value, number = listed[number], number + 1
        if value is not _MISSING:
            is_second = bool(pieces) and not words.text[place : word.start].strip()
            shown = _apart(literal(value, words.reading), words, index, behind, is_second=is_second)
            pieces += [words.text[place : word.start], shown]
            place = words.words[behind - 1].end
    return "".join([*pieces, words.text[place:]])


_MISSING: Any = object()


def _apart(text: str, words: StatementWords, index: int, behind: int, *, is_second: bool) -> str:
    """A literal that stays one beside the words around it, among them perhaps another literal that was put in."""
    before = words.words[index - 1] if index else None
    after = words.words[behind] if behind < len(words.words) else None
    if is_second or any(word is not None and word.kind is Kind.TEXT for word in (before, after)):
        return f"({text})"  # two texts beside each other would be one
    left = " " if _is_word(before) and before.end == words.words[index].start else ""
    right = " " if _is_word(after) and after.start == words.words[behind - 1].end else ""
    return f"{left}{text}{right}"


def _is_word(word: Word | None) -> TypeGuard[Word]:
    return word is not None and word.kind is not Kind.SIGN


def _named(words: StatementWords, index: int) -> str | None:
    """The name of the parameter that begins here; a colon right after something takes a field out of it."""
    word = words.words[index]
    following = words.words[index + 1] if index + 1 < len(words.words) else None
    if word.key != ":" or following is None or not following.is_name or following.start != word.end:
        return None
    before = words.words[index - 1] if index else None
    touches = before is not None and before.end == word.start
    return None if touches and before is not None and (before.is_name or before.key in (")", "]")) else following.value


def literal(value: object, reading: SqlReading = STANDARD) -> str:
    """The value as a literal of Spark SQL in a session that reads so. Raises `SqlParameterError`."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return _signed(f"{value!r}D") if math.isfinite(value) else f"CAST('{value}' AS DOUBLE)"
    if isinstance(value, decimal.Decimal) and value.is_finite():
        return _signed(f"{value:f}BD")
    if isinstance(value, str):
        return _text(value, reading)
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.astimezone(datetime.UTC).replace(tzinfo=None).isoformat(sep=' ')}+00:00'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, bytes | bytearray):
        return f"X'{bytes(value).hex()}'"
    raise SqlParameterError(
        f"A {type(value).__name__} cannot be a parameter of a statement that changes a Delta table.",
        fix="Give None, a bool, int, float, str, bytes, Decimal, date or datetime.",
        details={"type": type(value).__name__},
    )


def _signed(number: str) -> str:
    """A number that may follow a minus sign: two of them begin a comment."""
    return f"({number})" if number.startswith("-") else number


def _whole(value: int) -> str:
    if -_INT <= value < _INT:
        return _signed(str(value))
    if -_LONG <= value < _LONG:
        return "(-9223372036854775807L - 1L)" if value == -_LONG else f"({value}L)"
    raise SqlParameterError(f"{value} has more than 64 bits.", fix="Give a Decimal.", details={"value": str(value)})


def _text(value: str, reading: SqlReading) -> str:
    if reading == STANDARD:
        return quoted_text(value)
    plain = not any(mark in value for mark in ("'", "\\", "${"))
    return f"'{value}'" if plain else f"CAST(X'{value.encode('utf-8', 'surrogatepass').hex()}' AS STRING)"
