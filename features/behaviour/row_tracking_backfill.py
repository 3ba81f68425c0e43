"""Commits that give row ids to files (backfill) or remove them (unbackfill), while others commit."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import attrs

from deltaresolver.errors import PropertyInvalidError, RowTrackingError
from deltaresolver.features.behaviour.row_tracking_domain import DOMAIN
from deltaresolver.model.actions import Action, AddFile, DomainMetadata, RemoveFile
from deltaresolver.model.behaviour import Draft, Winner
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit

BACKFILL = "ROW TRACKING BACKFILL"
UNBACKFILL = "ROW TRACKING UNBACKFILL"
FILES_PER_COMMIT = 22_000
"""A limit, so that no commit is much larger than other clients read at once."""
MAX_FILES = ("spark.databricks.delta.backfill.maxNumFiles", "spark.databricks.delta.rowTracking.backfill.maxNumFiles")
"""The session's settings for another number; the first one that is set counts."""
ALLOWED = "spark.databricks.delta.rowTracking.backfill.enabled"


def has_ids(file: AddFile) -> bool:
    """Whether the file has row ids, or the version that added its rows."""
    return file.base_row_id is not None or file.default_row_commit_version is not None


def files_per_commit(session: Mapping[str, str]) -> int:
    """How many files one commit gives ids to. Raises `PropertyInvalidError`."""
    key = next((name for name in MAX_FILES if name in session), MAX_FILES[0])
    text = session.get(key, str(FILES_PER_COMMIT)).strip()
    if not text.isdecimal() or int(text) == 0:
        raise PropertyInvalidError(
            f"{key} must be a positive whole number, found {text!r}.",
            fix=f"Set {key} to a number such as {FILES_PER_COMMIT}.",
            details={"key": key, "found": text},
        )
    return int(text)


def ensure_backfills_allowed(session: Mapping[str, str]) -> None:
    """Raise `RowTrackingError` in a session that does not allow row tracking for existing tables."""
    if str(session.get(ALLOWED, "true")).strip().lower() != "false":
        return
    raise RowTrackingError(
        "Cannot enable Row IDs on an existing table.",
        fix=f"Set {ALLOWED} to true, or leave row tracking off.",
        details={"key": ALLOWED},
        delta_class="UnsupportedOperationException",
    )


def backfill_commit(
    files: Iterable[AddFile], made: Sequence[str], most: int = FILES_PER_COMMIT
) -> PreparatoryCommit | None:
    """A commit of at most `most` files without ids, which will get some; None where all files have ids."""
    without = (file for file in files if file.base_row_id is None)
    batch = tuple(attrs.evolve(file, data_change=False) for file in itertools.islice(without, most))
    return _commit_of(BACKFILL, batch, made)


def unbackfill_commit(
    files: Iterable[AddFile], made: Sequence[str], most: int = FILES_PER_COMMIT
) -> PreparatoryCommit | None:
    """A commit that removes the ids of at most `most` files; None where no file has any."""
    batch = tuple(
        attrs.evolve(file, data_change=False, base_row_id=None, default_row_commit_version=None)
        for file in itertools.islice(filter(has_ids, files), most)
    )
    return _commit_of(UNBACKFILL, batch, made)


def _commit_of(name: str, batch: tuple[AddFile, ...], made: Sequence[str]) -> PreparatoryCommit | None:
    if not batch:
        return None
    operation = Operation(
        name, {"batchId": str(made.count(name))}, updates_files_in_place=True, demands_wide_bounds=False
    )
    return PreparatoryCommit(operation, actions=batch)


def rebase_backfill(draft: Draft, winner: Winner) -> Draft:
    """Leave files out of a backfill that the winner added again or removed: they have ids, or need none.

    Raises `RowTrackingError` for a backfill that does anything else.
    """
    settled = _paths(winner)
    if not settled:
        return draft
    for action in draft.actions:
        if not isinstance(action, AddFile) and not (isinstance(action, DomainMetadata) and action.domain == DOMAIN):
            raise RowTrackingError(
                "RowTrackingBackfill commit has an unexpected action",
                fix="Commit only the files to be given ids.",
                details={"action": type(action).__name__},
                delta_class="IllegalStateException",
            )
    return _without(draft, settled)


def rebase_over_backfill(draft: Draft, winner: Winner) -> Draft:
    """Keep the ids that a backfill has given to files, where the draft adds or removes the same files."""
    filled = {file.path: file for file in winner.adds}
    return draft.with_actions(_with_ids_from(action, filled) for action in draft.actions)


def _with_ids_from(action: Action, filled: Mapping[str, AddFile]) -> Action:
    if not isinstance(action, (AddFile, RemoveFile)) or action.path not in filled:
        return action
    file = filled[action.path]
    return attrs.evolve(
        action, base_row_id=file.base_row_id, default_row_commit_version=file.default_row_commit_version
    )


def ensure_backfills_do_not_meet(winner: Winner) -> None:
    """Raise `RowTrackingError` where a backfill and an unbackfill run at the same time."""
    if winner.operation == BACKFILL:
        raise RowTrackingError(
            f"Version {winner.table_version} gives row ids to files while this transaction takes them away.",
            fix="Choose one of the two, then repeat it.",
            details={"winner_version": winner.table_version},
            delta_condition="DELTA_ROW_TRACKING_BACKFILL_RUNNING_CONCURRENTLY_WITH_UNBACKFILL",
        )


def rebase_unbackfill(draft: Draft, winner: Winner) -> Draft:
    """Also remove the ids of files that the winner added, and leave files removed that it removed."""
    stripped = [
        attrs.evolve(file, data_change=False, base_row_id=None, default_row_commit_version=None)
        for file in winner.adds
        if file.base_row_id is not None or file.default_row_commit_version is not None
    ]
    draft = _without(draft, _paths(winner))
    return draft.with_actions((*draft.actions, *stripped)) if stripped else draft


def _paths(winner: Winner) -> frozenset[str]:
    return frozenset(file.path for file in winner.adds) | frozenset(file.path for file in winner.removes)


def _without(draft: Draft, paths: Iterable[str]) -> Draft:
    gone = frozenset(paths)
    read = {path: values for path, values in draft.read_files.items() if path not in gone}
    actions = [action for action in draft.actions if not (isinstance(action, AddFile) and action.path in gone)]
    return attrs.evolve(draft, read_files=read).with_actions(actions)
