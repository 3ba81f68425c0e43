"""What history says of rows that a write replaced by a condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deltaresolver.model.actions import Action, AddFile
from deltaresolver.spark.changes.change_metrics import FileChanges
from deltaresolver.spark.writing.row_balance import RowBalance


def replaced_metrics(adds: Sequence[AddFile], replaced: Sequence[Action]) -> Mapping[str, str]:
    """By the names of delta-spark's history, for which files that are written again, or only marked, are written.

    `adds` hold the new rows, `replaced` takes out those before. Numbers of rows are left out where some statistics do
    not have them.
    """
    again = [action for action in replaced if isinstance(action, AddFile)]
    files, balance, new = FileChanges.of(replaced), RowBalance.of(replaced), RowBalance.of(adds).after
    found = {
        "numFiles": len(adds) + len(again),
        "numOutputBytes": sum(add.size for add in (*adds, *again)),
        "numRemovedFiles": files.removed,
        "numRemovedBytes": files.removed_bytes,
        "numAddedChangeFiles": files.change_files,
    }
    if balance.after is not None and new is not None:
        found |= {"numOutputRows": new + balance.after, "numCopiedRows": balance.after}
    if balance.after is not None and balance.before is not None:
        found["numDeletedRows"] = balance.before - balance.after
    return {name: str(value) for name, value in found.items()}
