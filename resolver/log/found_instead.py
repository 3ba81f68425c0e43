"""What lies at a local path where a Delta table was expected, so that the error can say what to do instead.

Looks at a bounded number of names, and never raises: it only helps a message.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import shlex
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import attrs

from deltaresolver.log.names import LOG_FOLDER, begins_a_table

MAX_NAMES = 2_000
"""So many names are looked at in all."""
MAX_DEPTH = 4

_CATALOG_NAME = re.compile(r"(`[^`]+`|\w+)(\.(`[^`]+`|\w[\w-]*)){1,2}")
_FILE_ENDING = re.compile(r"\.(parquet|csv|json|jsonl|orc|avro|txt|sql|ddl|crc|gz|zip)$", re.IGNORECASE)

_DRIVE = re.compile(r"([A-Za-z]):[\\/](.*)", re.DOTALL)
_SQL = re.compile(r"\s*(CREATE|ALTER|REPLACE|COMMENT)\s", re.IGNORECASE)
_RESTORE = "Restore the files of _delta_log from a backup, or from the version history of the storage."
_GIVE_FOLDER = "Give the folder that holds _delta_log, or will hold it."


@attrs.frozen(slots=True)
class FoundInstead:
    """What is there in a few words (`kind` for programs), and what to do."""

    kind: str
    what: str
    fix: str


def found_instead(location: str) -> FoundInstead | None:
    """What a local folder without a Delta log holds instead; None where that would not help."""
    folder = Path(location)
    try:
        if not folder.exists():
            return _missing(folder)
        if not folder.is_dir():
            return None
        return _in_folder(folder)
    except OSError as error:
        return FoundInstead(
            "not readable",
            f"the folder cannot be looked into: {error.strerror or error}",
            "Run this as a user who may read the folder.",
        )


def file_instead(location: str) -> FoundInstead:
    """What a file is, where the folder of a table was expected."""
    ending = Path(location).suffix.lower()
    if ending == ".parquet":
        return FoundInstead("Parquet file", "it is a Parquet file, not the folder of a table", _GIVE_FOLDER)
    if ending in {".json", ".jsonl"}:
        fix = f"Pipe metadata in: deltaresolver resolve - < {shlex.quote(location)}; for a table, give its folder."
        return FoundInstead("JSON file", "it is a JSON file, not the folder of a table", fix)
    if ending in {".sql", ".ddl"} or _begins_with_sql(location):
        fix = f'Give the folder of a table, and the statement after it: deltaresolver sql TABLE "$(cat {location})".'
        return FoundInstead("SQL file", "it is an SQL file, not the folder of a table", fix)
    return FoundInstead("file", "it is a file, not a folder", _GIVE_FOLDER)


def _begins_with_sql(location: str) -> bool:
    with contextlib.suppress(OSError), Path(location).open("rb") as file:
        return _SQL.match(file.read(200).decode("utf-8", "replace")) is not None
    return False


def _missing(folder: Path) -> FoundInstead:
    name = folder.name
    if _CATALOG_NAME.fullmatch(name) and not _FILE_ENDING.search(name):
        return FoundInstead(
            "catalog name",
            f"there is no such folder, and {name} looks like the name of a table in a catalog",
            f"Give the table's folder: in Spark, DESCRIBE DETAIL {name} shows it as location.",
        )
    windows = _windows_path(folder)
    if windows is not None:
        return windows
    near = _nearest(folder)
    if near is not None:
        return FoundInstead(
            "missing", f"there is no such folder (did you mean {near}?)", f"Give {near}, or check the path."
        )
    above = next((one for one in folder.parents if one.is_dir()), None)
    where = "" if above is None or above == folder.parent else f", and of its path only {above} exists"
    return FoundInstead(
        "missing", f"there is no such folder{where}", "Check the path; it must be the folder that contains _delta_log."
    )


def _windows_path(folder: Path) -> FoundInstead | None:
    """What to say to a path as Windows writes it, where this is another system."""
    if os.sep == "\\":
        return None
    text = os.path.relpath(folder)
    drive = _DRIVE.fullmatch(text)
    if drive is None and "\\" not in text:
        return None
    inside = f"/mnt/{drive[1].lower()}/" + drive[2] if drive else text
    path = inside.replace("\\", "/")
    what = f"{drive[1]}: is a drive of Windows" if drive else "here / parts the folders of a path, not \\"
    where = "; WSL has the drive there" if drive else ""
    return FoundInstead("Windows path", f"there is no such folder, and {what}", f"Write it like {path}{where}.")


def _nearest(folder: Path) -> Path | None:
    """The folder beside it with the most similar name."""
    with contextlib.suppress(OSError):
        beside = {name.casefold(): name for name, is_folder in _names_in(folder.parent).items() if is_folder}
        near = difflib.get_close_matches(folder.name.casefold(), beside, n=1, cutoff=0.75)
        if near:
            return folder.parent / beside[near[0]]
    return None


def _names_in(folder: Path) -> dict[str, bool]:
    """The names in a folder, and whether each is a folder itself."""
    with os.scandir(folder) as entries:
        return {entry.name: entry.is_dir() for entry in islice(entries, MAX_NAMES)}


def _in_folder(folder: Path) -> FoundInstead:
    names = _names_in(folder)
    if not names:
        return FoundInstead(
            "empty folder", "the folder is empty", "Check the path; it must be the folder that contains _delta_log."
        )
    if LOG_FOLDER in names:
        return FoundInstead(
            "empty log",
            "its _delta_log holds no commit and no checkpoint",
            _RESTORE,
        )
    if names.get("metadata") and _holds(folder / "metadata", (".metadata.json", "version-hint.text")):
        return FoundInstead(
            "Iceberg table",
            "it is an Iceberg table, which has a metadata folder and no _delta_log",
            "Give a Delta table; to convert this one, use CONVERT TO DELTA iceberg.`PATH` where your Spark has it.",
        )
    if ".hoodie" in names:
        return FoundInstead("Hudi table", "it is a Hudi table, which has no _delta_log", "Give a Delta table.")
    return _of_its_contents(folder, names)


def _of_its_contents(folder: Path, names: dict[str, bool]) -> FoundInstead:
    seen = _Seen()
    tables = list(_tables_below(folder, seen))
    if tables:
        count = f"{len(tables)}{' or more' if seen.is_full else ''} Delta table{'s' if len(tables) > 1 else ''}"
        return FoundInstead(
            "folder of tables",
            f"it is a folder with {count} below it",
            f"Give one of them, such as {tables[0]}, or look at all with `deltaresolver audit {folder}`.",
        )
    if seen.emptied:
        return FoundInstead(
            "folder of empty logs",
            f"the _delta_log of {seen.emptied[0]} below it holds no commit and no checkpoint",
            _RESTORE,
        )
    if seen.parquet:
        return FoundInstead(
            "Parquet files",
            "it holds Parquet files and no _delta_log",
            "Make it a Delta table in Spark with CONVERT TO DELTA parquet.`PATH` (`ds.sql` carries it out), "
            "or give the folder that contains _delta_log.",
        )
    shown = ", ".join(sorted(names)[:3])
    return FoundInstead(
        "other files",
        f"it holds {shown}{' and more' if len(names) > len(shown.split(', ')) else ''}, and no _delta_log",
        "Check the path; it must be the folder that contains _delta_log.",
    )


@attrs.define
class _Seen:
    """How many names were looked at, whether a Parquet file was among them, and the tables whose log has no version."""

    names: int = 0
    parquet: bool = False
    emptied: list[Path] = attrs.field(factory=list)

    @property
    def is_full(self) -> bool:
        return self.names >= MAX_NAMES


def _tables_below(folder: Path, seen: _Seen, depth: int = 0) -> Iterator[Path]:
    """The tables below a folder that have a version, as far as the bounds let it look; the others go into `seen`."""
    below: list[Path] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in islice(entries, max(0, MAX_NAMES - seen.names)):
            seen.names += 1
            seen.parquet = seen.parquet or entry.name.endswith(".parquet")
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                below.append(Path(entry.path))
    for one in sorted(below):
        if (one / LOG_FOLDER).is_dir():
            if _has_a_version(one):
                yield one
            else:
                seen.emptied.append(one)
        elif depth < MAX_DEPTH and not seen.is_full:
            yield from _tables_below(one, seen, depth + 1)


def _has_a_version(table: Path) -> bool:
    """Whether its log holds a commit or a checkpoint; a log that cannot be looked into is taken to."""
    try:
        with os.scandir(table / LOG_FOLDER) as entries:
            return any(begins_a_table(f"{LOG_FOLDER}/{entry.name}") for entry in islice(entries, MAX_NAMES))
    except OSError:
        return True


def _holds(folder: Path, endings: tuple[str, ...]) -> bool:
    """Whether a file in the folder ends so."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return any(entry.name.endswith(endings) for entry in islice(entries, MAX_NAMES))
    return False
