"""The folder of one write inside a table: nobody else writes there, and it goes as a whole if the write fails.

Spark's committer keeps unfinished files in a folder of its own below the one written to, and moves only those of
attempts that won; so two writers need two folders. The name is random, which also spreads keys in object stores.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import attrs

from deltaresolver.errors import LogError, StorageUnsupportedError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.object_store import ObjectStore
from deltaresolver.spark.file_systems import spark_location

SAFE_IN_PATHS = "/=:@!$&'()*+,;-._~"
_HIDDEN = ("_", ".")
_PARQUET = ".parquet"


@attrs.frozen(slots=True)
class WrittenFile:
    """A data file that Spark has written, by its path inside the table as stored."""

    path: str
    size: int
    modified_ms: int

    @property
    def encoded_path(self) -> str:
        """The path as the log writes it."""
        return quote(self.path, safe=SAFE_IN_PATHS)


@attrs.frozen(slots=True)
class DataFolder:
    """One write's folder in the table of `store`."""

    store: LogStore
    name: str

    @classmethod
    def fresh(cls, store: LogStore, parent: str = "") -> DataFolder:
        """A folder that nobody has used. Its name starts with a letter, so that nothing takes it for a partition."""
        return cls(store, f"{parent}w{uuid.uuid4().hex}")

    @property
    def spark_path(self) -> str:
        """The folder as Spark's file system names it."""
        return f"{spark_location(self.store.location)}/{self.name}"

    def files(self) -> list[WrittenFile]:
        """The data files, in order of path. Raises `LogError` kinds."""
        return self.contents()[0]

    def contents(self) -> tuple[list[WrittenFile], list[WrittenFile]]:
        """The data files in order of path, and the other Parquet files. Raises `LogError` kinds."""
        inside, left_over = [], []
        for file in self._walk():
            if not _is_hidden(file.path.removeprefix(f"{self.name}/")):
                inside.append(file)
            elif file.path.endswith(_PARQUET):
                left_over.append(file)
        return sorted(inside, key=lambda file: file.path), left_over

    def remove(self) -> None:
        """Delete everything in the folder. What cannot be deleted stays behind, for VACUUM."""
        if isinstance(self.store, LocalStore):
            shutil.rmtree(Path(self.store.location, self.name), ignore_errors=True)
            return
        try:
            for file in list(self._walk()):
                self.store.delete(file.path)
        except LogError:
            return

    def remove_file(self, file: WrittenFile) -> None:
        """Delete one file that nobody refers to."""
        self.store.delete(file.path)

    def _walk(self) -> Iterator[WrittenFile]:
        if isinstance(self.store, LocalStore):
            return _walk_local(Path(self.store.location), self.name)
        if isinstance(self.store, ObjectStore):
            return _walk_objects(self.store, self.name)
        raise StorageUnsupportedError(
            f"Data files cannot be listed in {self.store.location}.", fix="Use a local path or an object store."
        )


def _is_hidden(path: str) -> bool:
    """Whether a file is one of Spark's own, by its path inside the folder of a write.

    Spark's names for such folders and files begin like those of some partition columns; but the folder of a partition
    (`_day=1`) has an equals sign in it, and none of Spark's has.
    """
    *folders, name = path.split("/")
    return name.startswith(_HIDDEN) or any(folder.startswith(_HIDDEN) and "=" not in folder for folder in folders)


def _walk_local(root: Path, name: str) -> Iterator[WrittenFile]:
    for folder, _, names in os.walk(root / name, onerror=_raise):
        for each in names:
            full = Path(folder, each)
            found = full.stat()
            yield WrittenFile(full.relative_to(root).as_posix(), found.st_size, found.st_mtime_ns // 1_000_000)


def _raise(error: OSError) -> None:
    """A folder that cannot be listed is not an empty one; one that is not there is: no row was written."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _walk_objects(store: ObjectStore, name: str) -> Iterator[WrittenFile]:
    for found in store.list_below(f"{name}/"):
        yield WrittenFile(found.path, found.size, found.modified_ms)
