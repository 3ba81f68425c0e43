"""Reads the commits that came first: each file once, each line once, file actions as values only on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from deltaresolver.errors import LogGapError, StoredFileMissingError
from deltaresolver.log.commits import decode_action, decode_line, numbered_lines
from deltaresolver.log.names import commit_path, commit_version, listing_prefix
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.model.actions import Action
from deltaresolver.model.behaviour import Winner
from deltaresolver.model.metadata import Metadata

_FILES = frozenset({"add", "remove"})


def list_winners(store: LogStore, first_version: int) -> list[StoredFile]:
    """The commits from `first_version`, which is known to be there, on without gaps.

    A listing may come late: a commit it leaves out is looked for by its name. Raises `LogGapError` for one that
    really is not there although a later one is.
    """
    found: list[StoredFile] = []
    for file in store.list_from(listing_prefix(first_version)):
        table_version = commit_version(file.path)
        if table_version is None:
            continue
        missing = range(first_version + len(found), table_version)
        found.extend([_unlisted(store, each, file) for each in missing])
        found.append(file)
    return found or _known_to_be_there(store, first_version)


def _unlisted(store: LogStore, table_version: int, later: StoredFile) -> StoredFile:
    path = commit_path(table_version)
    try:
        return StoredFile(path, len(store.read(path)), later.modified_ms)
    except StoredFileMissingError:
        raise LogGapError(
            f"The log of {store.location} lacks commit {table_version}, though {later.path} is there.",
            fix=f"Restore {path}.",
            details={"location": store.location, "missing": [table_version], "found": later.path},
        ) from None


def _known_to_be_there(store: LogStore, table_version: int) -> list[StoredFile]:
    """The commit that took the version, though no listing shows it yet; none if reads come late as well."""
    path = commit_path(table_version)
    try:
        return [StoredFile(path, len(store.read(path)), 0)]
    except StoredFileMissingError:
        return []


def decode_winner(data: bytes, file: StoredFile, table_version: int, before_metadata: Metadata) -> Winner:
    """The winner in a commit's bytes. Raises `CommitMalformedError` for what is looked at."""
    small: list[Action] = []
    files: list[tuple[int, str, Any]] = []
    for number, line in numbered_lines(data):
        for name, value in decode_line(line, file.path, number).items():
            if value is None:
                continue
            if name in _FILES:
                files.append((number, name, value))
            else:
                small.append(decode_action(name, value, file.path, number))
    return Winner(table_version, small, _decode_later(files, file.path), file.modified_ms, before_metadata, bool(files))


def _decode_later(files: Sequence[tuple[int, str, Any]], path: str) -> Callable[[], Sequence[Action]]:
    decoded: list[Action] = []

    def decode() -> Sequence[Action]:
        if not decoded:
            decoded.extend(_decode(files, path))
        return decoded

    return decode


def _decode(files: Sequence[tuple[int, str, Any]], path: str) -> Iterator[Action]:
    for number, name, value in files:
        yield decode_action(name, value, path, number)
