"""VACUUM: find what no retained version needs, commit VACUUM START, delete, commit VACUUM END.

Whenever it is killed, the table is as readable as before, and a second run deletes what is left.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial

import attrs
import pyarrow as pa

from deltaresolver.errors import LocationInvalidError, LogError, TableNotFoundError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.log.storage.store_path import ensure_names_file
from deltaresolver.log.upkeep.retention import tombstone_retention_ms
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.progress import stage
from deltaresolver.transaction.starter import TransactionStarter
from deltaresolver.transaction.vacuum.contents import FolderContents, hidden_names, list_contents
from deltaresolver.transaction.vacuum.delete import Deleted, delete_expired
from deltaresolver.transaction.vacuum.inventory import inventory_contents, looked_up
from deltaresolver.transaction.vacuum.kept_files import as_compared, kept_paths
from deltaresolver.transaction.vacuum.removed_files import (
    find_last_expired_version,
    removed_files,
    removed_since,
    write_last_vacuum,
)
from deltaresolver.transaction.vacuum.request import (
    VacuumKind,
    VacuumRequest,
    VacuumSettings,
    asked_retention_ms,
    chosen_kind,
    ensure_retention_is_safe,
)

logger = logging.getLogger("deltaresolver.transaction")


@attrs.frozen(slots=True)
class VacuumOutcome:
    """What a VACUUM deleted, or with a dry run would delete."""

    location: str
    kind: VacuumKind
    is_dry_run: bool
    cutoff_ms: int
    """Files last written before this moment may go."""
    paths: tuple[str, ...]
    """Files and empty folders to delete, by their paths inside the table."""
    bytes_to_delete: int
    deleted: Deleted = attrs.field(factory=Deleted)
    folders: int = 0
    """How many folders were looked through."""
    links: tuple[str, ...] = ()
    """Links in the table's folder, which are neither followed nor deleted."""
    other_tables: tuple[str, ...] = ()
    """Folders of other tables inside this one, of which nothing is deleted."""
    table_version: int | None = None
    """Of the commit VACUUM END."""


@attrs.frozen(slots=True)
class _Plan:
    """What is to be done, once everything that forbids it was checked."""

    snapshot: Snapshot
    kind: VacuumKind
    cutoff_ms: int
    contents: FolderContents
    files: tuple[StoredFile, ...]
    last_expired: int | None
    exceeds_table: bool = False
    """The retention is longer than the table's."""

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(file.path for file in (*self.files, *self.contents.empty_folders))


def vacuum_table(starter: TransactionStarter, request: VacuumRequest) -> VacuumOutcome:
    """Delete the files of a table that no version needs which is still retained.

    Raises `TableNotFoundError`, `VacuumRetentionTooShortError`, `ArgumentInvalidError`, `LiteVacuumUnavailableError`,
    `ProtocolUnsupportedError` for a table that this client cannot write, and what a commit and
    the storage raise.
    """
    settings = VacuumSettings.from_session(starter.session)
    transaction = starter.start()
    snapshot = transaction.snapshot
    store = starter.log.store
    if snapshot is None:
        raise TableNotFoundError(
            f"{store.location} is not a Delta table, so nothing in it is deleted.",
            fix="Give the root folder of a Delta table.",
            details={"location": store.location},
            delta_condition="DELTA_TABLE_NOT_FOUND",
        )
    asked, configured = asked_retention_ms(request, settings), tombstone_retention_ms(snapshot.metadata)
    ensure_retention_is_safe(asked, configured, settings, store.location)
    started = operations.vacuum_start(
        checks_retention=settings.checks_retention, configured_ms=configured, asked_ms=asked
    )
    transaction.preview([], started)  # every check of a commit, those of the protocol among them, before anything else
    cutoff = starter.clock() - (configured if asked is None else asked)
    exceeds_table = asked is not None and asked > configured
    kind = chosen_kind(request, settings)
    with stage(f"VACUUM {store.location}: finding the files that no retained version needs"):
        plan = _plan(snapshot, kind, cutoff, request.inventory, exceeds_table=exceeds_table)
    if request.dry_run:
        return _outcome(store, plan, is_dry_run=True)
    if settings.is_logged:
        metrics = {"numFilesToDelete": str(len(plan.paths)), "sizeOfDataToDelete": str(plan.size)}
        transaction.commit([], attrs.evolve(started, metrics=metrics))
    return _carry_out(starter, plan, is_logged=settings.is_logged)


def _plan(
    snapshot: Snapshot, kind: VacuumKind, cutoff_ms: int, inventory: pa.Table | None, *, exceeds_table: bool
) -> _Plan:
    is_hidden = hidden_names(snapshot.metadata)
    last_expired = None
    if kind is VacuumKind.LITE:
        last_expired = find_last_expired_version(snapshot, cutoff_ms)
        found = removed_files(snapshot, last_expired)
        contents = FolderContents(
            tuple(file for file in found if not any(is_hidden(part) for part in file.path.split("/")))
        )
    elif inventory is not None:
        contents = inventory_contents(snapshot.store, inventory, is_hidden)
    else:
        contents = list_contents(snapshot.store, is_hidden)
    kept = _kept(snapshot, cutoff_ms, exceeds_table=exceeds_table)
    files = _expired(contents.files, kept, cutoff_ms)
    if inventory is not None:  # which may be wrong about what is old
        files = _expired(looked_up(snapshot.store, files), kept, cutoff_ms)
    # A younger one may be where some writer is about to begin.
    folders = tuple(folder for folder in contents.empty_folders if folder.modified_ms < cutoff_ms)
    contents = attrs.evolve(contents, empty_folders=folders)
    return _Plan(snapshot, kind, cutoff_ms, contents, files, last_expired, exceeds_table)


def _kept(snapshot: Snapshot, cutoff_ms: int, *, exceeds_table: bool) -> set[str]:
    kept = kept_paths(snapshot, cutoff_ms)
    if exceeds_table:
        kept.update(as_compared(path) for path in removed_since(snapshot, cutoff_ms))
    return kept


def _expired(files: Iterable[StoredFile], kept: set[str], cutoff_ms: int) -> tuple[StoredFile, ...]:
    return tuple(
        file
        for file in files
        if file.modified_ms < cutoff_ms and as_compared(file.path) not in kept and _is_inside(file.path)
    )


def _is_inside(path: str) -> bool:
    """Whether the path names a file inside the table in the one way that a store takes it."""
    try:
        ensure_names_file(path)
    except LocationInvalidError:
        return False
    return True


def _carry_out(starter: TransactionStarter, plan: _Plan, *, is_logged: bool) -> VacuumOutcome:
    store = starter.log.store
    # Others may have committed while the folder was listed, a RESTORE of removed files for one.
    latest = starter.log.update()
    files = plan.files
    if latest is not plan.snapshot:
        kept = _kept(latest, plan.cutoff_ms, exceeds_table=plan.exceeds_table)
        files = _expired(files, kept, plan.cutoff_ms)
    try:
        with stage(f"VACUUM {store.location}: deleting {len(files):,} files") as working:
            each = partial(working.each, total=len(files))
            deleted = delete_expired(store, files, plan.contents.empty_folders, plan.cutoff_ms, each)
    except Exception:
        if is_logged:
            _commit_failure(starter)
        raise
    outcome = _outcome(store, attrs.evolve(plan, files=files), deleted)
    if is_logged:
        metrics = {
            "numDeletedFiles": str(deleted.files + deleted.folders),
            "numVacuumedDirectories": str(plan.contents.folders),
        }
        ended = attrs.evolve(operations.vacuum_end(is_completed=True), metrics=metrics)
        outcome = attrs.evolve(outcome, table_version=starter.start().commit([], ended))
    try:
        write_last_vacuum(store, plan.last_expired)
    except LogError:
        logger.warning("Could not remember how far VACUUM went.", exc_info=True)
    return outcome


def _commit_failure(starter: TransactionStarter) -> None:
    """Note in history that VACUUM failed; what it failed of is raised, whether or not that can be noted."""
    try:
        starter.start().commit([], operations.vacuum_end(is_completed=False))
    except Exception:
        logger.warning("Could not commit that VACUUM failed.", exc_info=True)


def _outcome(
    store: LogStore, plan: _Plan, deleted: Deleted | None = None, *, is_dry_run: bool = False
) -> VacuumOutcome:
    contents = plan.contents
    return VacuumOutcome(
        store.location,
        plan.kind,
        is_dry_run,
        plan.cutoff_ms,
        plan.paths,
        plan.size,
        deleted or Deleted(),
        contents.folders,
        contents.links,
        contents.other_tables,
    )
