"""Files that the statements of a `ds.transaction` have written, and that no commit refers to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from deltaresolver.errors import LogError
from deltaresolver.log.deletion_vectors import relative_path
from deltaresolver.model.actions import Action, AddFile, ChangeFile
from deltaresolver.model.file_key import decoded
from deltaresolver.spark.writing.data_folder import DataFolder

if TYPE_CHECKING:
    from deltaresolver.spark.block.active import TransactionBlock

_FOLDER = re.compile(r"((?:_change_data/)?w[0-9a-f]{32})/")
"""The folder that one write has made, as `DataFolder.fresh` names it."""


def forget_written(block: TransactionBlock) -> None:
    """Delete all that was written; for a block that is not committed. What cannot be deleted stays, for VACUUM."""
    if not block.is_staged:
        return
    before = _before(block)
    written = _named(action for each in block.statements for action in each.committed.actions) - before
    for name in sorted(_folders(written) - _folders(before)):
        DataFolder(block.table.log.store, name).remove()
    _delete(block, written)


def forget_left_over(block: TransactionBlock, files: Iterable[AddFile]) -> None:
    """Delete files that statements wrote and later ones took out again, after the commit."""
    gone = _named(files)
    if gone and block.committed is not None:
        _delete(block, gone - _named(block.committed.actions) - _before(block))


def _before(block: TransactionBlock) -> set[str]:
    """The files that were in the table before the block: they are never deleted."""
    return _named(block.base.add_actions())


def _folders(paths: Iterable[str]) -> set[str]:
    return {found[1] for path in paths if (found := _FOLDER.match(path)) is not None}


def _named(actions: Iterable[Action]) -> set[str]:
    """The paths, as stored, of files and deletion vectors inside the table that the actions add."""
    found = set()
    for action in actions:
        if isinstance(action, (AddFile, ChangeFile)):
            found.add(decoded(action.path))
        vector = action.deletion_vector if isinstance(action, AddFile) else None
        if vector is not None and vector.storage_type == "u":
            found.add(relative_path(vector))
    return found


def _delete(block: TransactionBlock, paths: Iterable[str]) -> None:
    for path in sorted(paths):
        try:
            block.table.log.store.delete(path)
        except LogError:
            continue
