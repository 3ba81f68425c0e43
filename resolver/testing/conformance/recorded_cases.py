"""Reading recorded cases: JSON lines, plain or gzip."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from deltaresolver.errors import InvalidInputError, MalformedJsonError

_GZIP_MAGIC = b"\x1f\x8b"


def recorded_lines(path: str | PathLike[str]) -> Iterator[tuple[int, str]]:
    """The lines of a recorded file that are not blank, each with its number, counted from 1.

    Raises `InvalidInputError` for a file that cannot be read.
    """
    file = Path(path)
    try:
        with file.open("rb") as raw:
            packed = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        open_text = gzip.open if packed else open
        with open_text(file, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.isspace():
                    yield number, line
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"The recorded cases in {file} cannot be read: {error}.",
            fix="Give a file of JSON lines, plain or packed with gzip.",
            details={"path": str(file), "reason": str(error)},
        ) from error


def recorded_cases(path: str | PathLike[str]) -> Iterator[dict[str, Any]]:
    """The cases of a recorded file. Raises `MalformedJsonError` naming the line, and as `recorded_lines`."""
    for number, line in recorded_lines(path):
        try:
            case = json.loads(line)
        except ValueError as error:
            raise _malformed(path, number, str(error)) from error
        if not isinstance(case, dict):
            raise _malformed(path, number, f"a case is a JSON object, not {type(case).__name__}")
        yield case


def _malformed(path: str | PathLike[str], number: int, reason: str) -> MalformedJsonError:
    return MalformedJsonError(
        f"Line {number} of {path} is not a recorded case: {reason}.",
        fix="Write one JSON object per line.",
        details={"path": str(path), "line": number, "reason": reason},
    )
