"""Find the tables below a root: every folder that holds a `_delta_log`, without looking into any table."""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path

from deltaresolver.audit.runners import CatalogRunner, Runner
from deltaresolver.errors import CommandUsageError, LocationInvalidError
from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.object_store import ObjectStore

CURRENT_CATALOG, NAMED_CATALOG = "spark.catalog", "catalog:"


def is_catalog(root: str) -> bool:
    """Whether a root names a catalog of Spark's: `spark.catalog` or `catalog:NAME`."""
    return root == CURRENT_CATALOG or root.startswith(NAMED_CATALOG)


def find_in_catalog(root: str, runner: Runner) -> Iterator[str]:
    """The locations of the Delta tables in a catalog. Raises `CommandUsageError` away from Spark."""
    if not isinstance(runner, CatalogRunner):
        raise CommandUsageError(
            f"{root} is a catalog of Spark's, and this audit does not run on Spark.",
            fix="Add --spark, or give folders of tables.",
            details={"root": root},
        )
    yield from runner.tables_in_catalog(None if root == CURRENT_CATALOG else root.removeprefix(NAMED_CATALOG))


def find_tables(root: str, options: Mapping[str, str] | None = None) -> Iterator[str]:
    """The locations of all tables at or below `root`, as they are found.

    A folder that may not be listed is passed over. Raises `LocationInvalidError` for a local root that is no
    folder, and the errors of an object store that cannot be listed.
    """
    store = open_store(root, options)
    if isinstance(store, ObjectStore):
        yield from _find_in_bucket(store, root)
    else:
        if not Path(store.location).is_dir():
            raise LocationInvalidError(
                f"{root!r} cannot be searched for tables: there is no such folder.",
                fix="Check the path; give the folder that tables are below.",
                details={"location": root},
            )
        yield from _find_in_folder(store.location)


def _find_in_folder(root: str) -> Iterator[str]:
    """Depth first; tables do not nest, so a table's own folders are not looked at."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir())
        except OSError:
            continue
        if LOG_FOLDER in names:
            yield folder
        else:
            waiting.extend(f"{folder.rstrip('/')}/{name}" for name in reversed(names) if not name.startswith("."))


def _find_in_bucket(store: ObjectStore, root: str) -> Iterator[str]:
    """By folders, so that no data file of a table is ever listed."""
    base = root.rstrip("/")
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        names = store.folders_in(folder)
        if LOG_FOLDER in names:
            yield f"{base}/{folder}".rstrip("/")
        else:
            waiting.extend(f"{folder}/{name}".lstrip("/") for name in reversed(names))


def read_list(path: str) -> Iterator[str]:
    """The locations in a list file: one a line; blank lines and lines that start with # are left out.

    Raises `CommandUsageError` if the file cannot be read.
    """
    try:
        with Path(path).open(encoding="utf-8") as file:
            for line in file:
                location = line.strip()
                if location and not location.startswith("#"):
                    yield location
    except (OSError, UnicodeDecodeError) as error:
        raise CommandUsageError(
            f"The list {path} cannot be read: {error}.",
            fix="Give a text file with one table location a line.",
            details={"path": path},
        ) from error


def same_location(location: str) -> str:
    """One spelling for a location: no trailing slash, and a local path in full."""
    if location[:5].lower() == "file:":
        location = urllib.parse.unquote(urllib.parse.urlsplit(location).path)
    if "://" in location:
        return location.rstrip("/")
    return os.path.abspath(os.path.expanduser(location))  # noqa: PTH100, PTH111 - stays text
