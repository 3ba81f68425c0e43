"""Whether a write or a change of rows adds up, checked before it is committed.

Two counts of the same rows come from different places: what Spark produced, from its tasks; what the table gets, from
the footers of the files that the commit names. A row that is in one and not in the other was lost or doubled on the
way, whatever the reason, so nothing is committed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import attrs

from deltaresolver.errors import RowsUnaccountedError
from deltaresolver.model.actions import Action, AddFile, ChangeFile, RemoveFile
from deltaresolver.spark.changes.live_records import live_records

CHECKED_ROWS = "rowsAccountedFor"
"""The metric of a commit that gives the number of rows for which the check was made; absent where none was made."""


@attrs.frozen(slots=True)
class RowBalance:
    """The rows of the files that a commit takes out and brings in; None where some statistics do not have a count."""

    before: int | None
    after: int | None

    @classmethod
    def of(cls, actions: Iterable[Action]) -> RowBalance:
        """Counted from statistics and deletion vectors. A file that is only marked is counted on both sides."""
        listed = list(actions)
        gone = [action for action in listed if isinstance(action, RemoveFile)]
        new = [action for action in listed if isinstance(action, AddFile)]
        return cls(_sum(gone), _sum(new))


def ensure_all_written(location: str, produced: int | None, in_files: int, what: str = "rows") -> None:
    """Raises `RowsUnaccountedError` if files hold another number of rows than was produced, where that is known."""
    if produced is not None and produced != in_files:
        raise RowsUnaccountedError(
            f"{produced:,} {what} were produced for {location}, and the files written hold {in_files:,}, "
            "so nothing was committed.",
            fix="Repeat the write; if it fails again, report it with the number of files and partition columns.",
            details={"location": location, "produced": produced, "written": in_files, "what": what},
        )


def ensure_balanced(
    location: str, actions: Sequence[Action], *, inserted: int = 0, deleted: int | None = 0
) -> Mapping[str, str]:
    """Rows before, less those deleted, with those inserted, are the rows after; the metric that the commit gets.

    Nothing is checked where a number is not known. Raises `RowsUnaccountedError`.
    """
    balance = RowBalance.of(actions)
    if balance.before is None or balance.after is None or deleted is None:
        return {}
    if balance.before - deleted + inserted != balance.after:
        raise RowsUnaccountedError(
            f"The change of {location} does not add up: {balance.before:,} rows in the files taken out, {deleted:,} "
            f"deleted and {inserted:,} inserted make {balance.before - deleted + inserted:,}, and the files brought "
            f"in hold {balance.after:,}, so nothing was committed.",
            fix="Compare numRecords in the log with the data files; correct or restore the file that differs, "
            "and repeat the statement.",
            details={
                "location": location,
                "before": balance.before,
                "deleted": deleted,
                "inserted": inserted,
                "after": balance.after,
            },
        )
    return {CHECKED_ROWS: str(balance.after)}


def ensure_counted(location: str, what: str, expected: int, found: int) -> None:
    """Raises `RowsUnaccountedError` if two passes over the same rows count them differently."""
    if expected != found:
        raise RowsUnaccountedError(
            f"{expected:,} {what} were expected in the change of {location}, and there were {found:,}, "
            "so nothing was committed.",
            fix="Repeat the statement; if conditions depend on time or chance, write their values into columns first.",
            details={"location": location, "what": what, "expected": expected, "found": found},
        )


def ensure_all_named(location: str, written: Collection[str], actions: Iterable[Action]) -> None:
    """Raises `RowsUnaccountedError` if a file that was written for a commit is missing from its actions."""
    named = {action.path for action in actions if isinstance(action, AddFile | ChangeFile)}
    missing = sorted(set(written) - named)
    if missing:
        raise RowsUnaccountedError(
            f"{len(missing):,} of the {len(written):,} files written for {location} are missing from the commit, "
            f"{missing[0]} for one, so nothing was committed.",
            fix="Repeat the write; if it fails again, report it.",
            details={"location": location, "missing": missing[:20]},
        )


def _sum(files: Iterable[AddFile | RemoveFile]) -> int | None:
    counts = [live_records(file) for file in files]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
