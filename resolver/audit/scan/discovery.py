"""Find the tables below a root: every folder that holds a `_delta_log`, without looking into any table."""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs
import msgspec

from deltaresolver.audit.scan.folder_tree import FolderTree, as_written, is_writable
from deltaresolver.audit.scan.runners import CatalogRunner, Runner
from deltaresolver.errors import DeltaResolverError, LocationInvalidError
from deltaresolver.errors.secrets import redacted
from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.object_store import ObjectStore

WORTH_SPREADING = 32
"""From this number of folders at a level, other machines search them; one task has this number of folders."""
LISTINGS_AT_ONCE = 16
FOLDERS_AT_ONCE = 64
"""The number of folders listed at a time: enough for parallel listings, and few names in memory."""


def _nobody(folder: str) -> None:
    """Ignore a folder that could not be listed."""


def find_tables(
    root: str,
    storage_options: Mapping[str, str] | None = None,
    runner: Runner | None = None,
    note_refused: Callable[[str], None] = _nobody,
) -> Iterator[str]:
    """The locations of all tables at or below `root`, as they are found.

    A few folders are listed at a time, so that few names are in memory. Where the runner has other machines, they
    search below a level of many folders.
    A folder is searched once, however many links lead to it, and under its own name if that is below the root. One
    that may not be listed, or whose name is not UTF-8, is noted and skipped. Raises `LocationInvalidError` for a
    local root that is not a folder or has such a name, and the errors of an object store that cannot be listed.
    """
    store = _searched_store(root, storage_options)
    tree = FolderTree(store)
    spreads = runner if isinstance(runner, CatalogRunner) else None
    waiting = [[""]]
    while waiting:
        level = waiting.pop()
        if spreads is not None and len(level) >= WORTH_SPREADING:
            # An absolute path: other processes may have another working directory.
            place = root if isinstance(store, ObjectStore) else store.location
            search = SearchBelow(place, tuple(sorted((storage_options or {}).items())))
            for _, found in spreads.run(search, enumerate(batched(level, WORTH_SPREADING))):
                yield from found_below(found, note_refused)
        else:
            tables, below = _next_level(store, level, tree)
            yield from (_location(store, root, folder) for folder in tables)
            # A whole level is split over machines; listed here, a million names of tables would be in memory.
            waiting += [below] if spreads is not None and below else [*batched(below, FOLDERS_AT_ONCE)][::-1]
        if not waiting and (links := tree.behind_links(only_outside=spreads is not None)):
            waiting = [links]
    for folder in tree.refused:
        note_refused(_location(store, root, folder))


def _searched_store(root: str, storage_options: Mapping[str, str] | None) -> LogStore:
    store = open_store(root, storage_options)
    if not isinstance(store, ObjectStore) and not Path(store.location).is_dir():
        raise LocationInvalidError(
            f"{root!r} cannot be searched for tables: there is no such folder.",
            fix="Check the path; give a folder with tables below it.",
            details={"location": root},
        )
    if not is_writable(store.location):
        raise LocationInvalidError(
            f"{as_written(store.location)!r} cannot be searched for tables: its name is not UTF-8, as documents are.",
            fix="Rename the folder, or reach it by a link that has another name.",
            details={"location": as_written(store.location)},
        )
    return store


@attrs.frozen(slots=True)
class SearchBelow:
    """A task: the tables at or below some folders of a root, as JSON."""

    root: str
    options: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)

    def __call__(self, folders: Sequence[str]) -> bytes:
        """Their locations, or the error that ended this search: an exception would end those of the others too."""
        found, level = _Found(), list(folders)
        try:
            store = open_store(self.root, dict(self.options))
            tree = FolderTree(store)
            while level:
                tables, below = _next_level(store, level, tree)
                level = below or tree.behind_links()
                found.tables.extend(_location(store, self.root, folder) for folder in tables)
            found.refused.extend(_location(store, self.root, folder) for folder in tree.refused)
        except DeltaResolverError as error:
            found.error = (error.code, error.message, error.fix)
        return msgspec.json.encode(found)


class _Found(msgspec.Struct):
    tables: list[str] = msgspec.field(default_factory=list)
    refused: list[str] = msgspec.field(default_factory=list)
    error: tuple[str, str, str] | None = None


def found_below(result: bytes, note_refused: Callable[[str], None] = _nobody) -> Iterator[str]:
    """The locations that a `SearchBelow` found; folders that could not be listed are noted.

    Raises `LocationInvalidError` with the words of the error it met.
    """
    found = msgspec.json.decode(result, type=_Found)
    yield from found.tables
    for folder in found.refused:
        note_refused(folder)
    if found.error is not None:
        code, message, fix = found.error
        raise LocationInvalidError(message, fix=fix, details={"code": code})


def batched(folders: Sequence[str], size: int) -> Iterator[list[str]]:
    """Lists of at most `size` consecutive folders."""
    return (list(folders[start : start + size]) for start in range(0, len(folders), size))


def _next_level(store: LogStore, level: Sequence[str], tree: FolderTree) -> tuple[list[str], list[str]]:
    """Which of these folders are tables, and the folders inside the others."""
    tables: list[str] = []
    below: list[str] = []
    for folder, inside in zip(level, _look_into(store, level, tree), strict=True):
        if inside is None:
            tables.append(folder)
        else:
            below.extend(inside)
    return tables, below


def _look_into(store: LogStore, folders: Sequence[str], tree: FolderTree) -> Iterator[list[str] | None]:
    """For each folder those inside it, or None for a table: tables do not nest, and no data file is ever listed."""
    if not isinstance(store, ObjectStore):
        yield from (_inside(tree.names_in(folder), folder, hidden=".") for folder in folders)
        return
    # Every listing is a round trip, so many run at a time.
    with ThreadPoolExecutor(min(LISTINGS_AT_ONCE, len(folders))) as pool:
        for folder, names in zip(folders, pool.map(store.folders_in, folders), strict=True):
            yield _inside(names, folder, hidden=None)


def _inside(names: Sequence[str], folder: str, hidden: str | None) -> list[str] | None:
    if LOG_FOLDER in names:
        return None
    return [f"{folder}/{name}".lstrip("/") for name in names if hidden is None or not name.startswith(hidden)]


def _location(store: LogStore, root: str, folder: str) -> str:
    base = root if isinstance(store, ObjectStore) else store.location
    return f"{base.rstrip('/')}/{folder}".rstrip("/") or "/"


def same_location(location: str) -> str:
    """One spelling for a location: no trailing slash, a local path in full, and no secrets.

    A location with a secret in it can never be opened, and its text would end up in documents.
    """
    location = redacted(location)
    if location[:5].lower() == "file:":
        location = urllib.parse.unquote(urllib.parse.urlsplit(location).path)
    if "://" in location:
        return location.rstrip("/")
    return os.path.abspath(os.path.expanduser(location))  # noqa: PTH100, PTH111 - stays text
