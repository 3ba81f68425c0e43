"""What lies in a table's folder, as far as a VACUUM may look at it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator

import attrs

from deltaresolver.expressions.stored_column import find_column
from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.storage.local_errors import from_os_error
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.log.storage.object_store import ObjectStore
from deltaresolver.model.metadata import Metadata

_VISIBLE = ("_delta_index", "_change_data")
"""Folders of Delta's own whose files go as data files do."""

_LOG = f"/{LOG_FOLDER}/"

IsHidden = Callable[[str], bool]
"""Whether a folder or file of this name is none of the table's data."""


@attrs.frozen(slots=True)
class FolderContents:
    """Files, and folders without any file below them, by their paths inside the table.

    Links are neither followed nor deleted: what they lead to may belong to others.
    """

    files: tuple[StoredFile, ...]
    empty_folders: tuple[StoredFile, ...] = ()
    """Inner folders first."""
    folders: int = 1
    links: tuple[str, ...] = ()
    other_tables: tuple[str, ...] = ()
    """Folders with a log of their own. Their files belong to other tables, and are left out above."""


def hidden_names(metadata: Metadata) -> IsHidden:
    """Names with `_` or `.` first are hidden, but for partitions' folders, change data and indexes.

    Where the table keeps metadata for Iceberg readers, that folder is hidden too.
    """
    columns = metadata.partition_columns
    physical = tuple(find_column(metadata, (name,)).physical_path[0] for name in columns)
    partitions = tuple(f"{name}=" for name in {*columns, *physical})
    iceberg = "iceberg" in metadata.configuration.get("delta.universalFormat.enabledFormats", "").lower()

    def is_hidden(name: str) -> bool:
        if iceberg and name == "metadata":
            return True
        return name.startswith(("_", ".")) and not name.startswith((*_VISIBLE, *partitions))

    return is_hidden


def list_contents(store: LogStore, is_hidden: IsHidden) -> FolderContents:
    """Everything that is not hidden. Raises `LogError` kinds for a folder that cannot be listed."""
    if isinstance(store, LocalStore):
        return _Walk(store.location, is_hidden).contents()
    keys = list(_list_keys(store))
    marks = (file.path.rpartition(_LOG)[0] for file in keys if _LOG in file.path)
    others = {folder for folder in marks if folder and not any(map(is_hidden, folder.split("/")))}
    files = [file for file in keys if not any(map(is_hidden, file.path.split("/")))]
    own = tuple(file for file in files if not any(file.path.startswith(f"{folder}/") for folder in others))
    folders = {file.path.rpartition("/")[0] for file in own} | {""}
    return FolderContents(own, folders=len(folders), other_tables=tuple(sorted(others)))


def _list_keys(store: LogStore) -> Iterator[StoredFile]:
    """Every file outside the table's own log. A key that ends in a slash stands for a folder."""
    if not isinstance(store, ObjectStore):
        found: Iterator[StoredFile] = store.list_below("")
    else:
        # Folder by folder, so that the keys of a long log are not listed only to be left out.
        folders = [folder for folder in store.folders_in("") if folder != LOG_FOLDER]
        below = (store.list_below(f"{folder}/") for folder in folders)
        found = itertools.chain(store.list_from(""), *below)
    for file in found:
        if not file.path.endswith("/") and not file.path.startswith(f"{LOG_FOLDER}/"):
            yield file


class _Walk:
    """A walk through a local folder that goes through no link."""

    def __init__(self, root: str, is_hidden: IsHidden) -> None:
        self._root = root
        self._is_hidden = is_hidden
        self._files: list[StoredFile] = []
        self._empty: list[StoredFile] = []
        self._links: list[str] = []
        self._others: list[str] = []
        self._folders = 0

    def contents(self) -> FolderContents:
        self._folder("")
        links, others = tuple(self._links), tuple(self._others)
        return FolderContents(tuple(self._files), tuple(self._empty), self._folders, links, others)

    def _folder(self, folder: str) -> bool:
        """Whether nothing but empty folders lies in it."""
        entries = self._entries(folder)
        if folder and any(entry.name == LOG_FOLDER for entry in entries):
            self._others.append(folder.rstrip("/"))
            return False
        self._folders += 1
        is_empty = True
        for entry in entries:
            path = f"{folder}{entry.name}"
            if entry.is_symlink():
                self._links.append(path)
                is_empty = False
            elif entry.is_dir(follow_symlinks=False):
                hidden = self._is_hidden(entry.name)
                if hidden or not self._folder(f"{path}/"):
                    is_empty = False
                else:
                    self._note(entry, path, self._empty)
            else:
                is_empty = False
                if not self._is_hidden(entry.name) and entry.is_file(follow_symlinks=False):
                    self._note(entry, path, self._files)
        return is_empty

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        full = f"{self._root}/{folder}"
        try:
            with os.scandir(full) as found:
                return sorted(found, key=lambda entry: entry.name)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise from_os_error(error, "list", full) from error

    def _note(self, entry: os.DirEntry[str], path: str, among: list[StoredFile]) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            raise from_os_error(error, "look up", entry.path) from error
        among.append(StoredFile(path, found.st_size, found.st_mtime_ns // 1_000_000))
