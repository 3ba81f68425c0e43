"""Failures of Spark to read a data file, raised as errors of this library.

A DataFrame is lazy: when its query fails, no code of this library runs, and Spark's own error names the file but not
what is wrong with it. Whoever runs the query says where these errors are wanted.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs

from deltaresolver.errors import DataFileMissingError, DataFileUnreadableError, DeltaResolverError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.spark.reading.file_location import TableRoot
from deltaresolver.spark.session import is_of_spark

FIX = "Restore the file, read a table version that does not need it, or remove it from the log."
_FAILED = re.compile(r"\[FAILED_READ_FILE\.?(\w*)\] .*? file:? ?(\S+?)\.?(?:\s|$)")
_CAUSES = re.compile(r"^Caused by: ([\w.$]+: .*)$", re.MULTILINE)
_LOG = "_delta_log"


@contextmanager
def clear_errors() -> Iterator[None]:
    """Raise `DataFileMissingError` or `DataFileUnreadableError` where a query of the block could not read a data file.

    They name the table and the file, and how the file differs from what the log says. Other errors go through as
    they are.
    """
    try:
        yield
    except Exception as error:
        told = explain(error) if is_of_spark(error) else None
        if told is None:
            raise
        raise told from error


def explain(error: BaseException) -> DeltaResolverError | None:
    """The error of this library for an error of Spark's; None where no data file is to blame."""
    failure = _failure(error)
    return None if failure is None else failure.to_error()


@attrs.frozen(slots=True)
class _Failure:
    """One data file that could not be read: URI-encoded path, and why."""

    path: str
    is_missing: bool
    reason: str

    def to_error(self) -> DeltaResolverError:
        """The error, with what can be found out about the file."""
        shown = urllib.parse.unquote(self.path)
        table = _table_of(shown)
        where = f" of the table {table}" if table is not None else ""
        details: dict[str, object] = {
            "path": shown,
            "table": None if table is None else str(table),
            "reason": self.reason,
        }
        if self.is_missing:
            message = f"The data file {shown}{where} is in the log but is not there."
            return DataFileMissingError(message, fix=FIX, details=details)
        sizes = None if table is None else _sizes(table, self.path)
        wrong = ""
        if sizes is not None and sizes[0] != sizes[1]:
            wrong = f" It has {sizes[0]:,} bytes, and {sizes[1]:,} by the log."
            details |= {"size": sizes[0], "logged_size": sizes[1]}
        message = f"The data file {shown}{where} cannot be read: {self.reason}.{wrong}"
        return DataFileUnreadableError(message, fix=FIX, details=details)


def _failure(error: BaseException | None) -> _Failure | None:
    while error is not None:
        condition: Callable[[], str | None] = getattr(error, "getCondition", lambda: None)
        parameters: Callable[[], Mapping[str, str] | None] = getattr(error, "getMessageParameters", dict)
        text = str(error)
        found = condition() or ""
        path = (parameters() or {}).get("path")
        if found == "PATH_NOT_FOUND" and path is not None:
            return _Failure(path, True, "it is not there")
        by_text = _FAILED.search(text)
        if found.startswith("FAILED_READ_FILE") and path is not None:
            return _Failure(path, found.endswith("FILE_NOT_EXIST"), _reason(text))
        if by_text is not None:
            return _Failure(by_text[2], by_text[1] == "FILE_NOT_EXIST", _reason(text))
        error = error.__cause__
    return None


def _reason(text: str) -> str:
    """The innermost cause in a stack of the JVM's."""
    causes = _CAUSES.findall(text)
    told = causes[-1].partition(": ")[2] if causes else text.strip().splitlines()[0]
    return str(told).strip().rstrip(".")[:500]


def _table_of(path: str) -> Path | None:
    """The folder of the Delta table that a local file lies in."""
    if ":" in path.partition("/")[0] and not path.startswith("file:"):
        return None
    file = Path("/" + path.removeprefix("file:").lstrip("/"))
    return next((folder for folder in file.parents if (folder / _LOG).is_dir()), None)


def _sizes(table: Path, path: str) -> tuple[int, int] | None:
    """The size of a file as it is and as the log has it; None where it is not in the latest version."""
    root = TableRoot.of(str(table), LocalStore(table))
    wanted = urllib.parse.unquote("/" + path.removeprefix("file:").lstrip("/"))
    try:
        files = DeltaLog(LocalStore(table)).snapshot().files()
        for logged, size in zip(files.column("path").to_pylist(), files.column("size").to_pylist(), strict=True):
            if root.file(logged).path.removeprefix("file:") == wanted:
                return Path(wanted).stat().st_size, int(size or 0)
    except (DeltaResolverError, OSError):  # the first failure is raised in any case
        return None
    return None
