"""The post-commit hook that keeps symlink manifests: lists of data files for engines that cannot read the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import unquote

import attrs

from deltaresolver.errors import PostCommitError
from deltaresolver.expressions.stored_column import find_column
from deltaresolver.log.names import NULL_FOLDER
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import Action, AddFile, RemoveFile
from deltaresolver.model.behaviour import PartitionValues
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.rules import read_boolean
from deltaresolver.transaction.commit.committed import Committed

ENABLED = "delta.compatibility.symlinkFormatManifest.enabled"
FOLDER = "_symlink_format_manifest"
_ESCAPED = frozenset("\"#%'*/:=?\\\x7f{[]^") | {chr(code) for code in range(1, 32)}


@attrs.frozen(slots=True)
class GenerateSymlinkManifest:
    """Rewrites the manifests of the partitions that a commit touched."""

    name: str = "Generate Symlink Format Manifest"

    def run(self, committed: Committed) -> None:
        """Bring the manifests up to date. Raises `PostCommitError` for a table they cannot describe."""
        snapshot = committed.snapshot
        touched = touched_partitions(committed.actions, snapshot.metadata)
        listed: dict[str, list[str]] = {partition: [] for partition in touched}
        for file in snapshot.add_actions():
            partition = partition_folder(file.partition_values, snapshot.metadata)
            if partition in listed:
                listed[partition].append(_absolute_path(file, snapshot))
        for partition, paths in listed.items():
            target = f"{FOLDER}/{partition}manifest"
            if paths:
                snapshot.store.put(target, "".join(f"{path}\n" for path in sorted(paths)).encode())
            else:
                snapshot.store.delete(target)

    def handle_error(self, error: Exception, table_version: int) -> None:
        """The caller has to know: readers of the manifests see an older table."""
        raise PostCommitError(
            f"Version {table_version} is committed, but its symlink manifests could not be written: {error}",
            fix="Remove the cause, then write the manifests anew with GENERATE symlink_format_manifest.",
            details={"table_version": table_version, "hook": self.name, "error": str(error)},
            delta_class="DeltaRuntimeException",
            delta_condition="DELTA_POST_COMMIT_HOOK_FAILED",
        ) from error


def generate_symlink_manifests(snapshot: Snapshot) -> int:
    """Write the manifests of all partitions and delete those of partitions that are gone; how many there are now.

    Raises `PostCommitError` for a table they cannot describe, before anything is written, and `LogError` kinds.
    """
    listed: dict[str, list[str]] = {}
    for file in snapshot.add_actions():
        path = _absolute_path(file, snapshot)
        listed.setdefault(partition_folder(file.partition_values, snapshot.metadata), []).append(path)
    targets = {f"{FOLDER}/{partition}manifest": paths for partition, paths in listed.items()}
    if not targets and not snapshot.metadata.partition_columns:
        targets = {f"{FOLDER}/manifest": []}
    for target, paths in targets.items():
        snapshot.store.put(target, "".join(f"{path}\n" for path in sorted(paths)).encode())
    for found in list(snapshot.store.list_below(f"{FOLDER}/")):
        if found.path not in targets and found.path.endswith("/manifest"):
            snapshot.store.delete(found.path)
    return len(targets)


def wants_symlink_manifest(metadata: Metadata, actions: Iterable[Action]) -> bool:
    """Whether the table keeps manifests and the commit changes its files. Raises `PropertyInvalidError`."""
    text = metadata.configuration.get(ENABLED)
    if text is None or not read_boolean(ENABLED, text):
        return False
    return any(isinstance(action, (AddFile, RemoveFile)) for action in actions)


def touched_partitions(actions: Iterable[Action], metadata: Metadata) -> set[str]:
    """The folders, below the manifests', of the partitions whose files changed."""
    return {
        partition_folder(action.partition_values or {}, metadata)
        for action in actions
        if isinstance(action, (AddFile, RemoveFile))
    }


def partition_folder(values: PartitionValues, metadata: Metadata) -> str:
    """The partition as a folder, `p=a/q=1/`; empty for a table without partitions."""
    return "".join(
        f"{_escape(name)}={_folder_value(values, find_column(metadata, (name,)).physical_path[0])}/"
        for name in metadata.partition_columns
    )


def _folder_value(values: Mapping[str, str | None], name: str) -> str:
    value = values.get(name)
    return _escape(value) if value else NULL_FOLDER


def _escape(text: str) -> str:
    return "".join(f"%{ord(character):02X}" if character in _ESCAPED else character for character in text)


def _absolute_path(file: AddFile, snapshot: Snapshot) -> str:
    if file.deletion_vector is not None:
        raise PostCommitError(
            f"{file.path} has a deletion vector, which a symlink manifest cannot express.",
            fix="Run REORG TABLE ... APPLY (PURGE) and switch deletion vectors off.",
            details={"path": file.path},
            delta_condition="DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS",
        )
    path = unquote(file.path)
    if "://" in path or path.startswith(("/", "file:")):
        return path
    location = snapshot.store.location.rstrip("/")
    return f"file:{location}/{path}" if location.startswith("/") else f"{location}/{path}"
