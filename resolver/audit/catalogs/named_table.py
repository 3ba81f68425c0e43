"""A table as a catalog or a list file names it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from deltaresolver.errors import CommandUsageError
from deltaresolver.planning.lake.lake import Lake

_PARTS = 3


@attrs.frozen(slots=True)
class ListedTable:
    """A table's location, name and owner; the last two may be unknown."""

    location: str
    name: str | None = None
    owner: str | None = None


def read_list(path: str) -> Iterator[ListedTable]:
    """The tables of a list file: one a line, a location, and after tabs its name and its owner.

    Blank lines and lines that start with # are left out. Raises `CommandUsageError` if the file cannot be read.
    """
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            for line in file:
                parts = [part.strip() for part in line.split("\t")]
                if parts[0] and not parts[0].startswith("#"):
                    name, owner = [*parts[1:_PARTS], "", ""][:2]
                    yield ListedTable(parts[0], name or None, owner or None)
    except (OSError, UnicodeDecodeError) as error:
        raise CommandUsageError(
            f"The list {path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}.",
            fix="Give a text file with one table per line: its location, then name and owner after tabs.",
            details={"path": path},
        ) from error


def with_names(lake: Lake | None, tables: Iterable[ListedTable]) -> Lake | None:
    """A lake.toml with these names and owners added; its own entries win."""
    found = [one for one in tables if one.name or one.owner]
    if not found:
        return lake
    start = Lake("") if lake is None else lake
    names = [(one.name, one.location) for one in found if one.name]
    owners = [(one.location.rstrip("/"), one.owner) for one in found if one.owner]
    return attrs.evolve(start, tables=(*start.tables, *names), table_owners=(*start.table_owners, *owners))
