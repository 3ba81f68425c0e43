"""Folders on disk in the order of a search: each once, also with links, and none left out without a note."""

from __future__ import annotations

import os
from pathlib import Path

from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.storage.log_store import LogStore

_Identity = tuple[int, int]
"""Device and inode."""


class FolderTree:
    """The folders below the root of a local store that a search has seen; for an object store it stays empty."""

    def __init__(self, store: LogStore) -> None:
        self.refused: list[str] = []
        """Folders that could not be listed or have names that are not UTF-8, in a form that a document can hold."""
        self._root = store.location
        self._seen: set[_Identity] = set()
        self._links: list[str] = []

    def names_in(self, folder: str) -> list[str]:
        """The real folders in `folder`, sorted. Links to folders are kept for `behind_links`."""
        names: list[str] = []
        unnamed: list[str] = []
        try:
            if not folder and (identity := _identity(self._root)) is not None:
                self._seen.add(identity)
            with os.scandir(f"{self._root}/{folder}") as entries:
                for entry in entries:
                    if not _is_folder(entry):
                        continue
                    if entry.name == LOG_FOLDER:
                        return [LOG_FOLDER]
                    if not is_writable(entry.name):
                        unnamed.append(entry.name)
                        continue
                    if entry.is_symlink():
                        self._links.append(f"{folder}/{entry.name}".lstrip("/"))
                        continue
                    found = entry.stat(follow_symlinks=False)
                    if (found.st_dev, found.st_ino) not in self._seen:
                        self._seen.add((found.st_dev, found.st_ino))
                        names.append(entry.name)
        except FileNotFoundError:
            return []
        except OSError:
            self.refused.append(folder)
            return []
        self.refused += [as_written(f"{folder}/{name}".lstrip("/")) for name in sorted(unnamed)]
        return sorted(names)

    def behind_links(self, *, only_outside: bool = False) -> list[str]:
        """The links to folders that have not been seen, one for each such folder. Call it after all real folders.

        With `only_outside`, links to folders below the root are left out: other tasks search these.
        """
        links, self._links = sorted(self._links), []
        found = []
        for link in links:
            full = f"{self._root}/{link}"
            identity = _identity(full)
            if identity is None or identity in self._seen or _leads_above(full) or Path(link).name.startswith("."):
                continue
            if only_outside and Path(self._root).resolve() in Path(full).resolve().parents:
                continue
            self._seen.add(identity)
            found.append(link)
        return found


def is_writable(name: str) -> bool:
    """Whether a name from the file system can be written in a document: one that is not UTF-8 cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_written(name: str) -> str:
    """A name as text for a document, with escapes for bytes that are not UTF-8."""
    if is_writable(name):
        return name
    return os.fsencode(name).decode(errors="backslashreplace")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        # A link to itself.
        return False


def _identity(path: str) -> _Identity | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _leads_above(link: str) -> bool:
    """Whether a link leads to one of its parent folders, those above the root included."""
    target = Path(link).resolve()
    passed = (folder.resolve() for folder in Path(link).parents)
    return any(folder == target or target in folder.parents for folder in passed)
