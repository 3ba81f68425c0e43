"""Read fields of a lake.toml by type; mistakes are noted with their line and a suggestion."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Any

import attrs

from deltaresolver.planning.lake.toml_lines import TomlPath, line_at

_MAX_LISTED = 60


@attrs.define(eq=False)
class Problems:
    """The mistakes in a file, in the order in which they were found."""

    lines: Mapping[TomlPath, int]
    found: list[tuple[int, str]] = attrs.field(factory=list)

    def note(self, path: TomlPath, what: str) -> None:
        """Note a mistake in the value at this path."""
        self.found.append((line_at(path, self.lines), f"{dotted(path)} {what}"))


def dotted(path: TomlPath) -> str:
    """A path as text, with entries of arrays counted from 1: `client[2].acts`."""
    told = ""
    for part in path:
        told += f"[{part + 1}]" if isinstance(part, int) else f".{_quoted(part)}"
    return told.lstrip(".")


def _quoted(key: str) -> str:
    return key if key and key.replace("-", "").replace("_", "").isalnum() else f'"{key}"'


def _listed(known: Iterable[str]) -> str:
    """All of the words, or the first ones and the number of the others."""
    names = sorted(known)
    more = len(names) - _MAX_LISTED
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:_MAX_LISTED])} and {more} more"


def suggestion(word: str, known: Iterable[str]) -> str:
    """` (did you mean x?)`, or nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f" (did you mean {near[0]}?)" if near else ""


@attrs.frozen(slots=True)
class Section:
    """One table of the file."""

    values: Mapping[str, Any]
    path: TomlPath
    problems: Problems

    def note(self, key: str, what: str) -> None:
        """Note a mistake in a key."""
        self.problems.note((*self.path, key), what)

    def only(self, *known: str) -> Section:
        """The section itself; every key beside `known` is noted as a mistake."""
        for key in self.values:
            if key not in known:
                self.note(key, f"is not a key here{suggestion(key, known)}; known: {', '.join(known)}")
        return self

    def section(self, key: str) -> Section:
        """A table in this one, empty when missing."""
        found = self.values.get(key, {})
        if not isinstance(found, Mapping):
            self.note(key, f"must be a table, found {found!r}")
            found = {}
        return Section(found, (*self.path, key), self.problems)

    def sections(self, key: str) -> Iterator[Section]:
        """The tables of an array in this one."""
        found = self.values.get(key, [])
        if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
            self.note(key, f"must be written as [[{key}]] tables")
            return
        for place, one in enumerate(found):
            yield Section(one, (*self.path, key, place), self.problems)

    def text(self, key: str, *, needed: bool = False) -> str | None:
        """A text; an empty one counts as missing."""
        found = self.values.get(key)
        if found is not None and not isinstance(found, str):
            self.note(key, f"must be a text in quotes, found {found!r}")
            return None
        if needed and not (found or "").strip():
            self.note(key, "is missing")
        return found or None

    def number(self, key: str, *, least: float) -> float | None:
        """A number; None when missing."""
        found = self.values.get(key)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not least <= found < float("inf"):
            self.note(key, f"must be a number of at least {least:g}, found {found!r}")
            return None
        return found

    def texts(self, key: str, *, known: Iterable[str] | None = None) -> tuple[str, ...] | None:
        """A list of texts, all of them among `known`; None when missing."""
        found = self.values.get(key)
        if found is None:
            return None
        if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
            self.note(key, f"must be a list of texts in quotes, found {found!r}")
            return None
        return tuple(one for one in found if known is None or self.is_known(key, one, tuple(known)))

    def is_known(self, key: str, word: str, known: tuple[str, ...]) -> bool:
        """Whether a word is known; if not, it is noted."""
        if word in known:
            return True
        near = suggestion(word, known) or f"; known: {_listed(known)}"
        self.note(key, f"has {word!r}, which is not known{near}")
        return False

    def day(self, key: str) -> date | None:
        """A day, from a TOML date or from a text; None when missing."""
        found = self.values.get(key)
        if isinstance(found, str):
            try:
                return date.fromisoformat(found)
            except ValueError:
                pass
        elif isinstance(found, datetime):
            return found.date()
        elif found is None or isinstance(found, date):
            return found
        self.note(key, f"must be a day such as 2027-01-31, found {found!r}")
        return None
