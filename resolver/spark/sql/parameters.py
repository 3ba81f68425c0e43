"""Parameters of statements, `:name` and `?`, put in as literals where this library reads the statement itself."""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Mapping, Sequence
from typing import Any

from deltaresolver.errors import SqlParameterError
from deltaresolver.expressions.text.reading import STANDARD, SqlReading
from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.spark.sql.words import StatementWords

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
        value, end = _MISSING, word.end
        if isinstance(args, Mapping):
            name = _named(words, index)
            if name is not None and name in args:
                value, end = args[name], words.words[index + 1].end
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
            pieces += [words.text[place : word.start], literal(value, words.reading)]
            place = end
    return "".join([*pieces, words.text[place:]])


_MISSING: Any = object()


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
        return f"{value!r}D" if math.isfinite(value) else f"CAST('{value}' AS DOUBLE)"
    if isinstance(value, decimal.Decimal) and value.is_finite():
        return f"{value:f}BD"
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


def _whole(value: int) -> str:
    if -_INT <= value < _INT:
        return f"({value})" if value < 0 else str(value)
    if -_LONG <= value < _LONG:
        return "(-9223372036854775807L - 1L)" if value == -_LONG else f"({value}L)"
    raise SqlParameterError(f"{value} has more than 64 bits.", fix="Give a Decimal.", details={"value": str(value)})


def _text(value: str, reading: SqlReading) -> str:
    if reading == STANDARD:
        return quoted_text(value)
    plain = not any(mark in value for mark in ("'", "\\", "${"))
    return f"'{value}'" if plain else f"CAST(X'{value.encode('utf-8', 'surrogatepass').hex()}' AS STRING)"
