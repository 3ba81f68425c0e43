"""What a commit that changes rows tells history about its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from deltaresolver.model.actions import Action, AddFile, ChangeFile, RemoveFile


@attrs.frozen(slots=True)
class FileChanges:
    """How many files and deletion vectors come and go. A file that is only marked neither comes nor goes."""

    removed: int = 0
    removed_bytes: int = 0
    added: int = 0
    added_bytes: int = 0
    change_files: int = 0
    vectors_added: int = 0
    vectors_updated: int = 0
    vectors_removed: int = 0

    @classmethod
    def of(cls, actions: Iterable[Action]) -> FileChanges:
        """Counted from the actions of a commit."""
        listed = list(actions)
        adds = {action.path: action for action in listed if isinstance(action, AddFile)}
        removes = {action.path: action for action in listed if isinstance(action, RemoveFile)}
        gone = [remove for path, remove in removes.items() if path not in adds]
        new = [add for path, add in adds.items() if path not in removes]
        had_vector = [path for path, remove in removes.items() if remove.deletion_vector is not None]
        return cls(
            removed=len(gone),
            removed_bytes=sum(remove.size or 0 for remove in gone),
            added=len(new),
            added_bytes=sum(add.size for add in new),
            change_files=sum(isinstance(action, ChangeFile) for action in listed),
            vectors_added=len(adds) - len(new),
            vectors_updated=sum(path in adds for path in had_vector),
            vectors_removed=len(had_vector),
        )

    def metrics(self) -> Mapping[str, str]:
        """Under the names of UPDATE and DELETE."""
        return {
            "numRemovedFiles": str(self.removed),
            "numRemovedBytes": str(self.removed_bytes),
            "numAddedFiles": str(self.added),
            "numAddedBytes": str(self.added_bytes),
            "numAddedChangeFiles": str(self.change_files),
            "numDeletionVectorsAdded": str(self.vectors_added),
            "numDeletionVectorsUpdated": str(self.vectors_updated),
            "numDeletionVectorsRemoved": str(self.vectors_removed),
        }

    def merge_metrics(self) -> Mapping[str, str]:
        """Under the names of MERGE."""
        return {
            "numTargetFilesRemoved": str(self.removed),
            "numTargetBytesRemoved": str(self.removed_bytes),
            "numTargetFilesAdded": str(self.added),
            "numTargetBytesAdded": str(self.added_bytes),
            "numTargetChangeFilesAdded": str(self.change_files),
            "numTargetDeletionVectorsAdded": str(self.vectors_added),
            "numTargetDeletionVectorsUpdated": str(self.vectors_updated),
            "numTargetDeletionVectorsRemoved": str(self.vectors_removed),
        }
