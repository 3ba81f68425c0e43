"""deletionVectors: deleted rows are marked in a bitmap of their own, so the data file is not rewritten.

Every reader must apply the bitmaps, or it would show deleted rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deltaresolver.errors import DeletionVectorInvalidError, FeatureInUseError, TablePropertyRefusedError
from deltaresolver.features.behaviour.deletion_vector_tombstones import missing_tombstones
from deltaresolver.features.behaviour.file_statistics import physical_records, tight_bounds
from deltaresolver.model.actions import Action, AddFile, RemoveFile
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, MetadataChange, RemainingTable, Winner
from deltaresolver.model.facts.keys import DELETION_VECTORS
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.rules import PropertyIsTrue, read_boolean
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl

MANIFESTS = "delta.compatibility.symlinkFormatManifest.enabled"
TOMBSTONES = "Deletion Vector Tombstones"
FAST_DROP = "spark.databricks.delta.tableFeatures.fastDropFeature.enabled"


class DeletionVectorsBehaviour(FeatureBehaviour):
    """Refuses files with deletion vectors in tables that do not allow them, or with wrong statistics."""

    properties_kept_by_replace = frozenset({DELETION_VECTORS})

    def check_metadata(self, change: MetadataChange) -> None:
        """Raise `TablePropertyRefusedError` for a table with symlink manifests, which have no deletion vectors."""
        is_enabled, keeps_manifests = (
            _switched_on(change.metadata, DELETION_VECTORS),
            _switched_on(change.metadata, MANIFESTS),
        )
        if is_enabled and change.metadata.format.get("provider", "parquet") != "parquet":
            raise _excluded("take data files in Parquet", "Leave deletion vectors off.", "IN_NON_PARQUET_TABLE")
        if is_enabled and keeps_manifests:
            fix = f"Set {DELETION_VECTORS} or {MANIFESTS} to false."
            raise _excluded(f"and {MANIFESTS} exclude each other", fix, "WITH_INCREMENTAL_MANIFEST_GENERATION")
        if keeps_manifests and any(file.deletion_vector is not None for file in change.before.find_files()):
            fix = "Run REORG TABLE ... APPLY (PURGE) first."
            raise _excluded(f"are in the table, which {MANIFESTS} excludes", fix, None)

    def check_draft(self, draft: Draft) -> None:
        """Raise `DeletionVectorInvalidError` for a file with a deletion vector that is not allowed or not valid."""
        enabled = draft.metadata.is_on(DELETION_VECTORS)
        allowed = enabled or draft.operation.updates_files_in_place is True
        for file in draft.adds:
            if file.deletion_vector is None:
                continue
            if not allowed:
                raise _not_allowed(file, f"Set {DELETION_VECTORS} to true.")
            if physical_records(file) is None:
                raise DeletionVectorInvalidError(
                    f"{file.path} has a deletion vector but no numRecords in its statistics.",
                    fix="Write numRecords, the number of rows in the file with the deleted ones.",
                    details={"path": file.path},
                    delta_class="DeltaRuntimeException",
                    delta_condition="DELTA_DELETION_VECTOR_MISSING_NUM_RECORDS",
                )
            if draft.operation.demands_wide_bounds and tight_bounds(file) is not False:
                raise DeletionVectorInvalidError(
                    f"{file.path} has a deletion vector, but its statistics claim to be of live rows alone.",
                    fix="Set tightBounds to false in the statistics of the file.",
                    details={"path": file.path},
                    delta_condition="DELTA_ADDING_DELETION_VECTORS_WITH_TIGHT_BOUNDS_DISALLOWED",
                )

    def check_draft_without(self, draft: Draft) -> None:
        """Raise `DeletionVectorInvalidError` for any deletion vector."""
        for file in draft.adds:
            if file.deletion_vector is not None:
                raise _not_allowed(file, f"Set {DELETION_VECTORS} to true first.")

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """A winner may enable deletion vectors: the draft simply has none."""
        value = "false" if winner.metadata is None else winner.metadata.configuration.get(DELETION_VECTORS, "false")
        return {DELETION_VECTORS: "deletionVectors" in draft.supported and read_boolean(DELETION_VECTORS, value)}

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Disable them, then add tombstones for files of recent ones, so that older clients do not delete the files.

        Raises `FeatureInUseError` while a file has a deletion vector.
        """
        marked = [file.path for file in table.files() if file.deletion_vector is not None]
        if marked:
            files = "1 file has" if len(marked) == 1 else f"{len(marked)} files have"
            raise FeatureInUseError(
                f"deletionVectors cannot be dropped here: {files} one, such as {marked[0]}.",
                fix="Run `deltaresolver plan TABLE_PATH --drop-feature deletionVectors`, which finds the way and "
                "with --apply rewrites those files; or REORG TABLE ... APPLY (PURGE) and DROP FEATURE in Spark.",
                details={"feature": "deletionVectors", "files": len(marked), "example": marked[0]},
            )
        if _is_enabled(table.metadata):
            kept = {key: value for key, value in table.metadata.configuration.items() if key != DELETION_VECTORS}
            operation = Operation("UNSET TBLPROPERTIES", {"properties": f'["{DELETION_VECTORS}"]', "ifExists": True})
            return PreparatoryCommit(operation, metadata=table.metadata.with_configuration(kept))
        if TOMBSTONES in made or table.session.get(FAST_DROP, "true").lower() != "true":
            return None
        tombstones = missing_tombstones(table.tombstones(), table.now_ms)
        return PreparatoryCommit(Operation(TOMBSTONES), actions=tombstones)

    def find_trace(self, table: RemainingTable) -> str | None:
        """The property, or a file with a deletion vector."""
        if _is_enabled(table.metadata):
            return f"{DELETION_VECTORS} = true"
        marked = next((file.path for file in table.files() if file.deletion_vector is not None), None)
        return None if marked is None else f"{marked} has a deletion vector"

    def is_trace(self, action: Action) -> bool:
        """The property, or a file with a deletion vector, added or removed."""
        if isinstance(action, Metadata):
            return _is_enabled(action)
        return isinstance(action, (AddFile, RemoveFile)) and action.deletion_vector is not None


def _switched_on(metadata: Metadata, key: str) -> bool:
    """Whether a property is true; the case of its key does not matter."""
    found = next((value for name, value in metadata.configuration.items() if name.lower() == key.lower()), "false")
    return read_boolean(key, found)


def _excluded(reason: str, fix: str, condition: str | None) -> TablePropertyRefusedError:
    kind = (
        f"PERSISTENT_DELETION_VECTORS_{condition}"
        if condition
        else ("EXISTING_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST_GENERATION")
    )
    return TablePropertyRefusedError(
        f"Deletion vectors {reason}.",
        fix=fix,
        details={"properties": [DELETION_VECTORS, MANIFESTS]},
        delta_class="DeltaTablePropertyValidationFailedException",
        delta_condition=f"DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED.{kind}",
    )


def _is_enabled(metadata: Metadata) -> bool:
    return metadata.is_on(DELETION_VECTORS)


def _not_allowed(file: AddFile, fix: str) -> DeletionVectorInvalidError:
    return DeletionVectorInvalidError(
        f"{file.path} has a deletion vector, which the table does not allow.",
        fix=fix,
        details={"path": file.path},
        delta_class="DeltaCommandUnsupportedWithDeletionVectorsException",
        delta_condition="DELTA_ADDING_DELETION_VECTORS_DISALLOWED",
    )


@hookimpl
def table_feature() -> TableFeature:
    """Declare deletionVectors."""
    return TableFeature(
        name="deletionVectors",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Deleted rows are marked instead of rewriting files.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#deletion-vectors",
        trigger=PropertyIsTrue(DELETION_VECTORS),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        removal=Removal(protects_history=True),
        behaviour=DeletionVectorsBehaviour(),
        support=Support(read=SAFE),
    )
