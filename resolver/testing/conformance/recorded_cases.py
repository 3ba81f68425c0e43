"""Reading recorded cases: JSON lines, plain or gzip."""

from __future__ import annotations

import contextlib
import gzip
import json
import traceback
import zlib
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from deltaresolver.errors import InvalidInputError, MalformedJsonError

MOST_LINE_CHARACTERS = 16_000_000
MOST_CHARACTERS = 2_000_000_000
"""The limit for one line and for all: a few megabytes of gzip may be gigabytes of blanks."""
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
            read = 0
            for number, line in enumerate(iter(lambda: lines.readline(MOST_LINE_CHARACTERS + 1), ""), start=1):
                read += len(line)
                _ensure_read(len(line), read)
                if not line.isspace():
                    yield number, line
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise InvalidInputError(
            f"The recorded cases in {file} cannot be read: {error}.",
            fix="Give a file of JSON lines, plain or packed with gzip.",
            details={"path": str(file), "reason": str(error)},
        ) from error


def _ensure_read(line: int, characters: int) -> None:
    if line > MOST_LINE_CHARACTERS or characters > MOST_CHARACTERS:
        raise EOFError(f"a line may have {MOST_LINE_CHARACTERS:,} characters, and all of them {MOST_CHARACTERS:,}")


def recorded_cases(path: str | PathLike[str]) -> Iterator[dict[str, Any]]:
    """The cases of a recorded file. Raises `MalformedJsonError` naming the line, and as `recorded_lines`."""
    for number, line in recorded_lines(path):
        try:
            case = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _malformed(path, number, str(error)) from error
        if not isinstance(case, dict):
            raise _malformed(path, number, f"a case is a JSON object, not {type(case).__name__}")
        yield case


@contextlib.contextmanager
def followed(path: str | PathLike[str], case: Mapping[str, Any]) -> Iterator[None]:
    """Follow a case: an exception of this package itself means a malformed recording, not a fault of the library.

    Raises `InvalidInputError` in place of that exception.
    """
    try:
        yield
    except (LookupError, AttributeError, TypeError, ValueError, RecursionError) as error:
        if not _is_ours(error):
            raise
        raise InvalidInputError(
            f"The case {str(case.get('id', 'without a name'))[:100]!r} in {path} is not a recorded one: "
            f"{type(error).__name__}: {error}.",
            fix="Record it again, or leave it out.",
            details={"path": str(path), "reason": str(error)},
        ) from error


def _is_ours(error: Exception) -> bool:
    """Whether an error was raised by the code of this package, or by Python's library called directly from it."""
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    own = str(Path(__file__).parent)
    library = str(Path(__file__).parents[2])
    last = next((name for name in reversed(frames) if name.startswith(library)), "")
    return last.startswith(own)


def _malformed(path: str | PathLike[str], number: int, reason: str) -> MalformedJsonError:
    return MalformedJsonError(
        f"Line {number} of {path} is not a recorded case: {reason}.",
        fix="Write one JSON object per line.",
        details={"path": str(path), "line": number, "reason": reason},
    )
