"""The behaviour of columnMapping at metadata changes: ids and physical names, and the allowed changes of mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deltaresolver.errors import ColumnMappingError, FeatureInUseError
from deltaresolver.features.behaviour.column_ids import (
    KEYS,
    assign_ids,
    ensure_assigned,
    has_mapping_metadata,
    highest_id,
    without_mapping_metadata,
)
from deltaresolver.model.actions import Action
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, MetadataChange, RemainingTable, Winner
from deltaresolver.model.facts.columns import mapping_mode
from deltaresolver.model.facts.keys import COLUMN_ID, MAPPING_MODE, MAX_COLUMN_ID, PHYSICAL_NAME
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.schema import StructField

FEATURE = "columnMapping"
ALLOW_REMOVAL = "spark.databricks.delta.columnMapping.allowRemoval"


class ColumnMappingBehaviour(FeatureBehaviour):
    """Gives columns an id and a physical name, which they keep as long as they exist."""

    def amend_metadata(self, change: MetadataChange) -> Metadata:
        """Add ids and physical names to columns without them, or remove all of them where the mode is none.

        Raises `ColumnMappingError` for a change of mode that is not allowed.
        """
        before, metadata = change.before.metadata, change.metadata
        old, new = mapping_mode(before), mapping_mode(metadata)
        if old != new and not change.is_new_table and not _may_change(old, new, metadata):
            raise _mode_change_not_allowed(old, new)
        if new == "none":
            if has_mapping_metadata(metadata.schema) and not has_mapping_metadata(before.schema):
                return metadata.with_schema(without_mapping_metadata(metadata.schema))
            return metadata
        if old == "none" and not change.is_new_table and has_mapping_metadata(before.schema):
            raise _leftover_ids()
        return _with_ids(change, is_upgrade=old != new and not change.is_new_table)

    def check_metadata(self, change: MetadataChange) -> None:
        """Raise `ColumnMappingError` for ids or physical names that are missing or given twice."""
        if mapping_mode(change.metadata) == "none":
            return
        ensure_assigned(change.metadata.schema)
        highest, noted = highest_id(change.metadata.schema), _noted_id(change.metadata)
        if noted < highest:
            raise ColumnMappingError(
                f"{MAX_COLUMN_ID} is {change.metadata.configuration.get(MAX_COLUMN_ID)}, but a column has id "
                f"{highest}.",
                fix=f"Set {MAX_COLUMN_ID} to {highest} or more.",
                details={"noted": noted, "highest": highest},
                delta_condition="DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY"
                if MAX_COLUMN_ID in change.metadata.configuration
                else "DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET",
            )

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """A winner may enable mapping by name: the draft's files have physical names equal to logical ones."""
        return {MAPPING_MODE: FEATURE in draft.supported and _switches_on(draft, winner), MAX_COLUMN_ID: True}

    def tolerates_schema(self, draft: Draft, winner: Winner) -> bool:
        """Ids and physical names may appear, nothing else."""
        if winner.metadata is None or not _switches_on(draft, winner):
            return False
        before, after = draft.metadata.schema.fields, winner.metadata.schema.fields
        return len(before) == len(after) and all(map(_differ_in_mapping_only, before, after))

    def change_apart(
        self, table: RemainingTable, to_set: Mapping[str, str], to_unset: Sequence[str]
    ) -> PreparatoryCommit | None:
        """Remove column mapping where the mode is unset or set to none, also if there is none.

        A table with files would need them rewritten under logical names, so then the answer has an obstacle.
        """
        if to_set.get(MAPPING_MODE) != "none" and MAPPING_MODE not in to_unset:
            return None
        if table.session.get(ALLOW_REMOVAL, "true").lower() != "true":
            # Otherwise it is a change of the mode like any other, and refused.
            return None
        kept = {} if MAPPING_MODE in to_unset else {MAPPING_MODE: "none"}
        obstacle = None
        if mapping_mode(table.metadata) != "none" and next(iter(table.files()), None) is not None:
            obstacle = _files_hold_physical_names(table, "taken away", f"SET TBLPROPERTIES ('{MAPPING_MODE}' = 'none')")
        operation = Operation("REMOVE COLUMN MAPPING", metrics={"numOutputBytes": "0"})
        return PreparatoryCommit(operation, metadata=_without_mapping(table.metadata, kept), obstacle=obstacle)

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Take ids and physical names out of the schema of a table without files.

        Raises `FeatureInUseError` where there are files: they hold columns under physical names.
        """
        if self.find_trace(table) is None:
            return None
        if next(iter(table.files()), None) is not None:
            raise _files_hold_physical_names(table, "dropped", f"DROP FEATURE {FEATURE}")
        # Given as an action, because users may not change the mode in this way.
        unmapped = _without_mapping(table.metadata, {})
        return PreparatoryCommit(Operation("REMOVE COLUMN MAPPING"), actions=(unmapped,), reads_all=True)

    def find_trace(self, table: RemainingTable) -> str | None:
        """The mode, or a column with an id or a physical name."""
        mode = mapping_mode(table.metadata)
        if mode != "none":
            return f"{MAPPING_MODE} = {mode}"
        return "columns have ids or physical names" if has_mapping_metadata(table.metadata.schema) else None

    def is_trace(self, action: Action) -> bool:
        """Metadata with a mapping mode."""
        return isinstance(action, Metadata) and mapping_mode(action) != "none"


def _without_mapping(metadata: Metadata, properties: Mapping[str, str]) -> Metadata:
    """The metadata without ids and physical names, with `properties` in place of the mode."""
    kept = {key: value for key, value in metadata.configuration.items() if key not in (MAPPING_MODE, MAX_COLUMN_ID)}
    return metadata.with_schema(without_mapping_metadata(metadata.schema)).with_configuration({**kept, **properties})


def _files_hold_physical_names(table: RemainingTable, how: str, clause: str) -> FeatureInUseError:
    return FeatureInUseError(
        f"columnMapping cannot be {how} here: the table's files hold its columns under physical names.",
        fix=f"Run ALTER TABLE ... {clause} in Spark, which rewrites those files.",
        details={"feature": FEATURE, "mode": mapping_mode(table.metadata)},
    )


def _may_change(old: str, new: str, metadata: Metadata) -> bool:
    """Whether a change of mode is allowed: from none to name, or back to none with every id removed by the writer."""
    if new == "none":
        return not has_mapping_metadata(metadata.schema) and MAX_COLUMN_ID not in metadata.configuration
    return (old, new) == ("none", "name")


def _switches_on(draft: Draft, winner: Winner) -> bool:
    return (
        winner.metadata is not None
        and mapping_mode(draft.metadata) == "none"
        and mapping_mode(winner.metadata) == "name"
    )


def _differ_in_mapping_only(before: StructField, after: StructField) -> bool:
    if (before.name, before.type, before.nullable) != (after.name, after.type, after.nullable):
        return False
    old, new = before.metadata or {}, after.metadata or {}
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)} <= KEYS


def _noted_id(metadata: Metadata) -> int:
    text = metadata.configuration.get(MAX_COLUMN_ID, "0")
    return int(text) if text.isdecimal() else 0


def _with_ids(change: MetadataChange, *, is_upgrade: bool) -> Metadata:
    before, metadata = change.before.metadata, change.metadata
    start = max(_noted_id(metadata), _noted_id(before), highest_id(metadata.schema))
    stays = change.keeps_column_ids and mapping_mode(before) == mapping_mode(metadata)
    known = before.schema if is_upgrade or stays else None
    schema, last = assign_ids(metadata.schema, start, change.new_id, known, is_upgrade=is_upgrade)
    assigned = metadata if schema == metadata.schema else metadata.with_schema(schema)
    return assigned.with_configuration({**metadata.configuration, MAX_COLUMN_ID: str(last)})


def _mode_change_not_allowed(old: str, new: str) -> ColumnMappingError:
    return ColumnMappingError(
        f"The column mapping mode cannot change from {old} to {new} on an existing table.",
        fix="Rewrite the files under logical names first, then take ids and physical names out of the schema."
        if new == "none"
        else "Only none can become name; for anything else copy the data into a new table.",
        details={"before": old, "after": new},
        delta_condition="DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
    )


def _leftover_ids() -> ColumnMappingError:
    return ColumnMappingError(
        "The schema carries column ids though column mapping was never switched on, so they cannot be trusted.",
        fix="Copy the data into a new table.",
        details={"keys": [COLUMN_ID, PHYSICAL_NAME]},
        delta_condition="DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_METADATA_ALREADY_EXISTS",
    )
