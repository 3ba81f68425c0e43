"""The newest protocol and metadata of a table on the local disk.

Reads JSON commits alone. `deltaresolver.log` takes the place of `read_table` when it lands.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from deltaresolver.errors import MalformedJsonError, StoredFileMissingError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

LOG_FOLDER = "_delta_log"


def read_table(path: str) -> tuple[Protocol, Metadata]:
    """The protocol and metadata in force. Raises `LogError` when there is no table, `InvalidInputError` for a bad log."""
    newest: dict[str, Any] = {}
    for action in _actions_newest_first(_log_folder(path)):
        for key in ("protocol", "metaData"):
            if key in action:
                newest.setdefault(key, action[key])
        if len(newest) == 2:
            return Protocol.from_json(newest["protocol"]), Metadata.from_json(newest["metaData"])
    missing = " and ".join(key for key in ("protocol", "metaData") if key not in newest)
    raise StoredFileMissingError(
        f"The commits in {path} hold no {missing}.",
        fix="Give a table whose log still has the commit that sets it: checkpoints are not read yet.",
        details={"path": path},
    )


def _log_folder(path: str) -> Path:
    if "://" in path:
        raise _no_table(path, "only local paths can be read so far", "Copy the table's _delta_log to a local folder.")
    root = Path(path)
    if root.is_file():
        fix = f"Give the folder that holds {LOG_FOLDER}; for JSON in a file use `deltaresolver resolve - < {path}`."
        raise _no_table(path, "it is a file", fix)
    if not root.is_dir():
        raise _no_table(path, "there is no such folder", "Check the path.")
    log = root / LOG_FOLDER
    if not log.is_dir():
        raise _no_table(path, f"the folder holds no {LOG_FOLDER}", "Give the root folder of the table.")
    return log


def _no_table(path: str, reason: str, fix: str) -> StoredFileMissingError:
    return StoredFileMissingError(
        f"There is no Delta table at {path}: {reason}.", fix=fix, details={"path": path, "reason": reason}
    )


def _actions_newest_first(log: Path) -> Iterator[dict[str, Any]]:
    commits = (file for file in log.glob("*.json") if file.stem.isdigit())
    for commit in sorted(commits, reverse=True):
        for number, line in enumerate(commit.read_bytes().splitlines(), start=1):
            if line.strip():
                yield _action(line, f"{commit.name}, line {number}")


def _action(line: bytes, place: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise MalformedJsonError(
            f"{place} is not JSON: {error}.", fix="Restore the commit file.", details={"place": place}
        ) from error
    return value if isinstance(value, dict) else {}
