"""SHALLOW CLONE: a table of its own whose first commit names the files of another. No data file is read or written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

import attrs

from deltaresolver.errors import CloneTargetError, TableExistsError
from deltaresolver.log.deletion_vectors import relative_path
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import Action, AddFile, DeletionVector, DomainMetadata
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.keys import MAPPING_MODE
from deltaresolver.model.file_key import canonical_path
from deltaresolver.model.metadata import Metadata
from deltaresolver.resolution.algebra import merge
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.commit.committed import Committed
from deltaresolver.transaction.create.create_table import ensure_no_data
from deltaresolver.transaction.metadata.properties import ensure_settable, normalized_changes
from deltaresolver.transaction.starter import TransactionStarter
from deltaresolver.transaction.transaction import OptimisticTransaction

EMPTY: Mapping[str, str] = {}
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:/")
# What stays as it is in the path of a file, as Spark encodes it.
_PLAIN = "/=:@!$&'()*+,;-._~"


@attrs.frozen(slots=True)
class CloneOutcome:
    """What a CLONE made."""

    source_table_size: int
    source_num_of_files: int
    committed: Committed

    def metrics(self) -> Mapping[str, int]:
        """The counts, under the names of delta-spark's result columns; a shallow clone copies and removes nothing."""
        copied = ("num_removed_files", "num_copied_files", "removed_files_size", "copied_files_size")
        return {
            "source_table_size": self.source_table_size,
            "source_num_of_files": self.source_num_of_files,
            **dict.fromkeys(copied, 0),
        }


def clone_table(
    source: Snapshot,
    target: TransactionStarter,
    *,
    replace: bool = False,
    properties: Mapping[str, str] = EMPTY,
    called: str | None = None,
) -> CloneOutcome:
    """Commit a table at `target` with metadata and files of the version `source`, and with `properties` set over them.

    With `replace`, a table without rows may be there already. Row ids are given anew. The clone needs the files of its
    source for as long as it names them: VACUUM of the source does not know of it. History has the source as it is
    `called`, or else by its path.
    Raises `TableExistsError`, `CloneTargetError`, and what new metadata and a commit raise.
    """
    transaction = target.start()
    _ensure_free(transaction, target, source, replace=replace)
    catalog, latest = target.catalog, transaction.snapshot
    overrides = normalized_changes(properties, catalog)
    ensure_settable(overrides, catalog)
    metadata = _metadata(source, latest, overrides, target)
    transaction.update_metadata_as_copied(metadata)
    _ensure_same_mapping(source.metadata, transaction.metadata)
    protocol = merge(transaction.protocol, [source.protocol, *([] if latest is None else [latest.protocol])], catalog)
    files = [_absolute(file, absolute_root(source.store)) for file in source.add_actions()]
    size = sum(file.size for file in files)
    actions: list[Action] = [*files, *_domains(source, latest, catalog)]
    operation = operations.clone(called or f"delta.`{_shown_root(source.store)}`", source.table_version)
    counts = {"sourceTableSize": size, "sourceNumOfFiles": len(files)}
    zeros = dict.fromkeys(("numRemovedFiles", "numCopiedFiles", "removedFilesSize", "copiedFilesSize"), 0)
    metrics = {name: str(value) for name, value in {**counts, **zeros}.items()}
    transaction.commit_large(actions, attrs.evolve(operation, metrics=metrics), protocol)
    assert transaction.committed is not None
    return CloneOutcome(size, len(files), transaction.committed)


def absolute_root(store: LogStore) -> str:
    """A table's folder as paths in another table's log begin, URI-encoded."""
    return quote(_shown_root(store), safe=_PLAIN)


def _shown_root(store: LogStore) -> str:
    if isinstance(store, LocalStore):
        return f"file:{store.location}"
    # Hadoop, which Spark reads by, has no other scheme for S3.
    return f"s3a{store.location[2:]}" if store.location.startswith("s3://") else store.location


def _ensure_free(
    transaction: OptimisticTransaction, target: TransactionStarter, source: Snapshot, *, replace: bool
) -> None:
    location = target.log.store.location
    if location == source.store.location:
        raise CloneTargetError(
            f"You tried to REPLACE an existing table ({location}) with CLONE. This operation is unsupported. Try a "
            "different target for CLONE or delete the table at the current target.",
            fix="Clone to another location, or go back to a version with RESTORE.",
            details={"location": location},
            delta_condition="DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE",
        )
    if transaction.snapshot is None:
        ensure_no_data(target)
        return
    if not replace:
        raise TableExistsError(
            f"There is a Delta table at {location} already.",
            fix="Clone to another location, or with replace=True in place of a table without rows.",
            details={"location": location},
        )
    if len(transaction.snapshot.files()):
        raise CloneTargetError(
            "The clone destination table is non-empty. Please TRUNCATE or DELETE FROM the table before running CLONE.",
            fix="Clone to another location, or delete the rows first.",
            details={"location": location, "files": len(transaction.snapshot.files())},
            delta_condition="DELTA_UNSUPPORTED_NON_EMPTY_CLONE",
        )


def _metadata(
    source: Snapshot, latest: Snapshot | None, overrides: Mapping[str, str], target: TransactionStarter
) -> Metadata:
    """The source's, under the name, description and id of the table that is there."""
    metadata = source.metadata
    for _, behaviour in behaviours_of(target.catalog).all_with("cloned_metadata"):
        metadata = behaviour.cloned_metadata(metadata)
        if latest is not None:
            metadata = behaviour.restore_metadata(metadata, latest.metadata)
    return attrs.evolve(
        metadata.with_configuration({**metadata.configuration, **overrides}),
        id=target.new_id() if latest is None else latest.metadata.id,
        name=None if latest is None else latest.metadata.name,
        description=None if latest is None else latest.metadata.description,
    )


def _ensure_same_mapping(before: Metadata, after: Metadata) -> None:
    """Files are read by the source's column names, so a clone cannot have another mapping."""
    modes = [each.configuration.get(MAPPING_MODE, "none") for each in (before, after)]
    if modes[0] != modes[1]:
        raise CloneTargetError(
            f"Changing column mapping mode from '{modes[0]}' to '{modes[1]}' is not supported by CLONE.",
            fix=f"Leave {MAPPING_MODE} out, and set it on the clone.",
            details={"from": modes[0], "to": modes[1]},
            delta_class="DeltaColumnMappingUnsupportedException",
            delta_condition="DELTA_UNSUPPORTED_COLUMNMAPPING_MODE_CHANGE",
        )


def _absolute(file: AddFile, root: str) -> AddFile:
    vector = file.deletion_vector
    return attrs.evolve(
        file,
        path=_absolute_path(file.path, root),
        data_change=True,
        deletion_vector=None if vector is None else _absolute_vector(vector, root),
        base_row_id=None,
        default_row_commit_version=None,
    )


def _absolute_path(path: str, root: str) -> str:
    canonical = canonical_path(path)
    return canonical if _ABSOLUTE.match(canonical) else f"{root}/{canonical.removeprefix('./')}"


def _absolute_vector(vector: DeletionVector, root: str) -> DeletionVector:
    if vector.storage_type != "u":
        return vector
    path = f"{root}/{quote(relative_path(vector), safe=_PLAIN)}"
    return attrs.evolve(vector, storage_type="p", path_or_inline=path)


def _domains(source: Snapshot, latest: Snapshot | None, catalog: FeatureCatalog) -> Iterator[DomainMetadata]:
    """Domains that describe the layout come along; others belong to the table they are of."""
    for name in sorted(behaviours_of(catalog).domains_ended_by_replace):
        wanted, there = source.domains.get(name), None if latest is None else latest.domains.get(name)
        if wanted is not None and not wanted.removed:
            yield wanted
        elif there is not None and not there.removed:
            yield attrs.evolve(there, removed=True)
