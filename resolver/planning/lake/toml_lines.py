"""The line of each key of a TOML text, which the standard parser does not report."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping

TomlPath = tuple[str | int, ...]
"""Keys, and the indices of tables in arrays of tables, from 0."""

_PART = re.compile(r"""\s*(?:([A-Za-z0-9_-]+)|("(?:\\.|[^"\\])*")|'([^']*)')\s*""")
_TOKEN = re.compile(r'\\.|"""|\'\'\'|["\'#\[\]{}]')


def lines_of(text: str) -> Mapping[TomlPath, int]:
    """The line, from 1, of every header and of every key outside inline tables. The text must be valid TOML."""
    lines: dict[TomlPath, int] = {}
    seen: Counter[tuple[str, ...]] = Counter()
    table: TomlPath = ()
    value = _Value()
    for number, line in enumerate(text.split("\n"), start=1):
        if value.is_open:
            value.read(line)
            continue
        stripped = line.strip()
        if stripped.startswith("["):
            table = _table(stripped, seen)
            lines.setdefault(table, number)
        elif stripped and not stripped.startswith("#"):
            keys, rest = _keys(line)
            for length in range(1, len(keys) + 1):
                lines.setdefault((*table, *keys[:length]), number)
            value.read(rest.partition("=")[2])
    return lines


def line_at(path: TomlPath, lines: Mapping[TomlPath, int]) -> int:
    """The line of a key, or of the nearest table around it; the first line where there is none."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def _table(header: str, seen: Counter[tuple[str, ...]]) -> TomlPath:
    """The path of a header, with the index of each table of an array, also of one inside a longer header."""
    is_array = header.startswith("[[")
    keys, _ = _keys(header[2 if is_array else 1 :])
    if is_array:
        seen[keys] += 1
    return tuple(_with_places(keys, seen))


def _with_places(keys: tuple[str, ...], seen: Counter[tuple[str, ...]]) -> Iterator[str | int]:
    for length, key in enumerate(keys, start=1):
        yield key
        if seen[keys[:length]]:
            yield seen[keys[:length]] - 1


def _keys(text: str) -> tuple[tuple[str, ...], str]:
    """The parts of a dotted key, and what follows it."""
    keys: list[str] = []
    place = 0
    while (found := _PART.match(text, place)) is not None:
        bare, quoted, literal = found.groups()
        keys.append(bare or (_unquoted(quoted) if quoted else literal))
        place = found.end()
        if text[place : place + 1] != ".":
            break
        place += 1
    return tuple(keys), text[place:]


def _unquoted(text: str) -> str:
    try:
        return str(tomllib.loads(f"text = {text}")["text"])
    except tomllib.TOMLDecodeError:
        return text[1:-1]


class _Value:
    """Tracks whether a value continues in the next line: a list, or a text of several lines."""

    def __init__(self) -> None:
        self._depth = 0
        self._quote = ""

    @property
    def is_open(self) -> bool:
        return bool(self._depth or self._quote)

    def read(self, line: str) -> None:
        """Read one line. A text in single quotes has no escapes; one that is not triple-quoted ends with its line."""
        for found in _TOKEN.finditer(line):
            symbol = found[0]
            if self._quote:
                self._quote = "" if symbol == self._quote else self._quote
            elif symbol == "#":
                break
            elif symbol[0] in "\"'":
                self._quote = symbol
            elif symbol in "[{":
                self._depth += 1
            elif symbol in "]}":
                self._depth -= 1
        if len(self._quote) == 1:
            self._quote = ""
