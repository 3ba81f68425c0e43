"""Files that a commit takes out of the table."""

from __future__ import annotations

from collections.abc import Iterable

from deltaresolver.model.actions import AddFile, RemoveFile


def removal(file: AddFile, now_ms: int, *, data_change: bool = True) -> RemoveFile:
    """The action that removes a live file, with everything later readers of it need."""
    return RemoveFile(
        path=file.path,
        deletion_timestamp=now_ms,
        data_change=data_change,
        extended_file_metadata=True,
        partition_values=file.partition_values,
        size=file.size,
        stats=file.stats,
        tags=file.tags,
        deletion_vector=file.deletion_vector,
        base_row_id=file.base_row_id,
        default_row_commit_version=file.default_row_commit_version,
    )


def removals(files: Iterable[AddFile], now_ms: int, *, data_change: bool = True) -> list[RemoveFile]:
    """The actions that remove these files."""
    return [removal(file, now_ms, data_change=data_change) for file in files]
