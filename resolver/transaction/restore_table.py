"""RESTORE: commit the state of an earlier version as the newest one. No data file is read or written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs

from deltaresolver.errors import (
    LocationInvalidError,
    LogTruncatedError,
    RestoreFilesMissingError,
    RestoreVersionError,
    StoredFileMissingError,
    TableNotFoundError,
    TimestampOutOfRangeError,
    VersionNotFoundError,
)
from deltaresolver.log.log import as_milliseconds
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import Action, AddFile, DomainMetadata
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.file_key import path_in_table
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.rules import read_boolean
from deltaresolver.resolution.algebra import merge
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.commit.committed import Committed
from deltaresolver.transaction.commit.removed_files import removals
from deltaresolver.transaction.progress import Stage, stage
from deltaresolver.transaction.starter import TransactionStarter

IGNORES_MISSING_FILES = "spark.sql.files.ignoreMissingFiles"
MAX_NAMED = 100
LOOKS_AT_A_TIME = 16


@attrs.frozen(slots=True)
class RestoreOutcome:
    """What a RESTORE changed; `committed` is None where the version asked for is the latest, and nothing changes."""

    table_size_after_restore: int
    num_of_files_after_restore: int
    num_removed_files: int
    num_restored_files: int
    removed_files_size: int
    restored_files_size: int
    restored_version: int
    committed: Committed | None

    def metrics(self) -> Mapping[str, int]:
        """The counts, under the names of delta-spark's result columns."""
        names = list(attrs.asdict(self, recurse=False, filter=lambda _, value: isinstance(value, int)))
        return {name: getattr(self, name) for name in names if name != "restored_version"}


def restore_table(
    starter: TransactionStarter, table_version: int | None = None, timestamp: str | None = None
) -> RestoreOutcome:
    """Put a table back to a version, or to the one that was current at a moment.

    Files that both versions have stay; those added since are removed, those removed since come back. The protocol is
    that of both versions together, so nothing that the log holds becomes unreadable for those who can read it now.
    The latest version is there already: nothing is committed, so that the same RESTORE may be run again.

    Raises `RestoreVersionError` for later ones, `RestoreFilesMissingError`, `VersionNotFoundError`,
    `TimestampOutOfRangeError`, and `ConcurrentWriteError` if somebody else commits first.
    """
    transaction = starter.start()
    latest, location = transaction.snapshot, starter.log.store.location
    if latest is None:
        raise TableNotFoundError(
            f"{location} is not a Delta table.", fix="Give the path of one.", details={"location": location}
        )
    wanted = _wanted(starter, table_version, timestamp, latest)
    before = _by_key(latest)
    if wanted.table_version == latest.table_version:
        return RestoreOutcome(_size(before), len(before), 0, 0, 0, 0, latest.table_version, None)
    after = _by_key(wanted)
    added = [attrs.evolve(file, data_change=True) for key, file in after.items() if key not in before]
    removed = [file for key, file in before.items() if key not in after]
    if not read_boolean(IGNORES_MISSING_FILES, starter.session.get(IGNORES_MISSING_FILES, "false")):
        with stage(f"RESTORE {location}: looking for {len(added):,} files") as working:
            _ensure_there(starter.log.store, added, wanted.table_version, working)
    counts = _counts(after, removed, added)
    transaction.update_metadata(_restored_metadata(wanted.metadata, latest.metadata, starter.catalog))
    protocol = merge(transaction.protocol, [wanted.protocol, latest.protocol], starter.catalog)
    operation = operations.restore(None if timestamp is not None else wanted.table_version, timestamp)
    actions: list[Action] = [*added, *removals(removed, starter.clock()), *_domains(wanted, latest, starter.catalog)]
    metrics = dict(zip(_METRICS, map(str, counts), strict=True))
    transaction.commit_large(actions, attrs.evolve(operation, metrics=metrics), protocol)
    assert transaction.committed is not None
    return RestoreOutcome(*counts, wanted.table_version, transaction.committed)


_METRICS = (
    "tableSizeAfterRestore",
    "numOfFilesAfterRestore",
    "numRemovedFiles",
    "numRestoredFiles",
    "removedFilesSize",
    "restoredFilesSize",
)


_NO_SUCH_VERSION = "DELTA_CANNOT_RESTORE_TABLE_VERSION"
_CONDITIONS = {
    "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION": "DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER",
    "DELTA_TIMESTAMP_GREATER_THAN_COMMIT": "DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER",
}
"""What a moment is called that a reader could not travel to either."""


def _wanted(
    starter: TransactionStarter, table_version: int | None, timestamp: str | None, latest: Snapshot
) -> Snapshot:
    moment = None if timestamp is None else as_milliseconds(timestamp)
    if table_version is not None and table_version > latest.table_version:
        location = starter.log.store.location
        raise RestoreVersionError(
            f"Version {table_version} of {location} cannot be restored: the latest version is {latest.table_version}.",
            fix=f"Give a version below {latest.table_version}, or an earlier timestamp."
            if latest.table_version
            else "Leave the table as it is: version 0 is the only one, so there is no earlier state.",
            details={"location": location, "asked": table_version, "latest": latest.table_version},
            delta_condition=_NO_SUCH_VERSION,
        )
    try:
        wanted = starter.log.snapshot(table_version, moment)
    except (VersionNotFoundError, LogTruncatedError, TimestampOutOfRangeError) as error:
        error.delta_class = "DeltaAnalysisException"
        error.delta_condition = _CONDITIONS.get(str(error.delta_condition), _NO_SUCH_VERSION)
        raise
    return latest if wanted.table_version >= latest.table_version else wanted


def _by_key(snapshot: Snapshot) -> dict[object, AddFile]:
    return {file.key: file for file in snapshot.add_actions()}


def _size(files: Mapping[object, AddFile]) -> int:
    return sum(file.size for file in files.values())


def _counts(
    after: Mapping[object, AddFile], removed: Collection[AddFile], added: Collection[AddFile]
) -> tuple[int, int, int, int, int, int]:
    """In the order of `_METRICS`."""
    gone, back = sum(file.size for file in removed), sum(file.size for file in added)
    return _size(after), len(after), len(removed), len(added), gone, back


def _restored_metadata(restored: Metadata, latest: Metadata, catalog: FeatureCatalog) -> Metadata:
    for _, behaviour in behaviours_of(catalog).all_with("restore_metadata"):
        restored = behaviour.restore_metadata(restored, latest)
    return restored


def _domains(wanted: Snapshot, latest: Snapshot, catalog: FeatureCatalog) -> Iterator[DomainMetadata]:
    """Domains that describe the layout come back as they were; others count on."""
    for name in sorted(behaviours_of(catalog).domains_ended_by_replace):
        before, after = latest.domains.get(name), wanted.domains.get(name)
        if after is not None and after != before:
            yield after
        elif after is None and before is not None:
            yield attrs.evolve(before, removed=True)


def _ensure_there(store: LogStore, files: list[AddFile], table_version: int, working: Stage) -> None:
    with ThreadPoolExecutor(1 if store.is_nearby else LOOKS_AT_A_TIME) as pool:
        found = working.each(pool.map(lambda file: _is_there(store, file.path), files), len(files))
        missing = [file.path for file, is_there in zip(files, found, strict=True) if not is_there]
    if not missing:
        return
    count = f"{len(missing)} file{'' if len(missing) == 1 else 's'}"
    raise RestoreFilesMissingError(
        f"Not all files from version {table_version} are available in file system: {count} of {store.location} are "
        f"gone: {', '.join(missing[:MAX_NAMED])}.",
        fix=f"Restore a more recent version or timestamp, or set {IGNORES_MISSING_FILES} to true.",
        details={"location": store.location, "table_version": table_version, "missing": missing[:MAX_NAMED]},
    )


def _is_there(store: LogStore, logged_path: str) -> bool:
    """Whether a file is there. One at another place than the table's folder is taken to be, unless it is local."""
    path = path_in_table(logged_path)
    if path.startswith("file:/"):
        return Path(path.removeprefix("file:")).is_file()
    try:
        store.look_up(path)
    except StoredFileMissingError:
        return False
    except LocationInvalidError:
        return True
    return True
