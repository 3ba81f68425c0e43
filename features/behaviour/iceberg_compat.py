"""The common behaviour of the three icebergCompat features: what an Iceberg reader can and cannot read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import attrs

from deltaresolver.errors import IcebergCompatError
from deltaresolver.features.behaviour.file_statistics import physical_records
from deltaresolver.features.behaviour.iceberg_columns import (
    changes_iceberg_cannot_follow,
    first_default_that_is_no_literal,
    with_nested_ids,
)
from deltaresolver.features.behaviour.universal_format import settle_universal_format
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, MetadataChange
from deltaresolver.model.facts.keys import DELETION_VECTORS, ICEBERG_COMPAT, MAPPING_MODE, ROW_TRACKING
from deltaresolver.model.facts.nested_types import types_in
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.rules import read_boolean
from deltaresolver.model.schema import DataType, UserDefinedType, base_type, quote_path

ATOMIC = "delta.universalFormat.iceberg.atomicConversion.supported"

UPGRADE_UNIFORM = "REORG TABLE UPGRADE UNIFORM"
_SETTLING = frozenset({"CREATE TABLE", "CREATE TABLE AS SELECT", UPGRADE_UNIFORM})
"""Operations that set the properties of a table as a whole, besides those that replace it."""

PLAIN = frozenset(
    {
        "byte",
        "short",
        "integer",
        "long",
        "float",
        "double",
        "decimal",
        "string",
        "binary",
        "boolean",
        "timestamp",
        "timestamp_ntz",
        "date",
    }
)
"""Types that every Iceberg reader knows."""
PARTITIONING = PLAIN - {"decimal"}
"""The types of partition columns: delta-spark refuses every commit to a table that is partitioned by decimals."""
TYPE_WIDENING = frozenset({"typeWidening", "typeWidening-preview"})
GEOSPATIAL = frozenset({"geometry", "geography"})


class IcebergCompatBehaviour(FeatureBehaviour):
    """The rules of one version. `number` is the version; subclasses define the differences."""

    number: ClassVar[int]
    needs_row_tracking: ClassVar[bool] = False
    needs_literal_defaults: ClassVar[bool] = False
    allows_deletion_vectors: ClassVar[bool] = False

    def unknown_to_readers(self, data_type: DataType) -> bool:
        """Whether an Iceberg reader of this version has no equivalent for the type, not counting types inside it."""
        raise NotImplementedError

    def amend_metadata(self, change: MetadataChange) -> Metadata:
        """Set the properties that the feature needs, where they are missing.

        Raises `IcebergCompatError`, and `TablePropertyRefusedError` for a universal format that is not possible.
        """
        metadata = settle_universal_format(change)
        if not is_on(metadata, self.number):
            return metadata
        properties = dict(metadata.configuration)
        if properties.get(MAPPING_MODE, "none").lower() == "none":
            if MAPPING_MODE in properties or not change.is_new_table:
                raise self._wrong_property(MAPPING_MODE, properties.get(MAPPING_MODE, "none"), "name")
            properties[MAPPING_MODE] = "name"
        if self.needs_row_tracking and not read_boolean(ROW_TRACKING, properties.get(ROW_TRACKING, "false")):
            if ROW_TRACKING in properties:
                raise self._wrong_property(ROW_TRACKING, properties[ROW_TRACKING], "true")
            properties[ROW_TRACKING] = "true"
        if change.is_new_table:
            properties.setdefault(ATOMIC, change.before.metadata.configuration.get(ATOMIC, "true"))
        amended = metadata.with_configuration(properties)
        return with_nested_ids(amended) if self.number > 1 else amended

    def check_metadata(self, change: MetadataChange) -> None:
        """Raise `IcebergCompatError` for metadata that an Iceberg reader could not read."""
        if not is_on(change.metadata, self.number):
            self._ensure_may_be_switched_off(change)
            return
        self._ensure_can_be_followed(change.before.metadata, change.metadata, change.supported)

    def _ensure_can_be_followed(self, before: Metadata, metadata: Metadata, supported: frozenset[str]) -> None:
        if sum(is_on(metadata, number) for number in ICEBERG_COMPAT) > 1:
            raise self._violation(
                "goes with no other version of itself", "VERSION_MUTUAL_EXCLUSIVE", _switches(metadata)
            )
        if before.partition_columns and before.partition_columns != metadata.partition_columns:
            columns = {"before": list(before.partition_columns), "after": list(metadata.partition_columns)}
            raise self._violation("keeps partition columns", "REPLACE_TABLE_CHANGE_PARTITION_NAMES", columns)
        for data_type in types_in(metadata.schema):
            if self.unknown_to_readers(data_type):
                raise self._violation("has no equivalent for a type", "UNSUPPORTED_DATA_TYPE", {"type": str(data_type)})
        if self.number > 1:
            self._ensure_partitionable(metadata)
        if not self.allows_deletion_vectors and "deletionVectors" in supported:
            self._ensure_no_deletion_vectors(metadata)
        if not TYPE_WIDENING.isdisjoint(supported):
            self._ensure_types_can_be_followed(metadata)
        if self.needs_literal_defaults:
            self._ensure_literal_defaults(metadata)

    def amend_draft(self, draft: Draft) -> Draft:
        """Set the property about the conversion in every commit that creates or replaces the table."""
        settles = draft.operation.replaces_table or draft.operation.name in _SETTLING
        if not settles or ATOMIC in draft.metadata.configuration or not is_on(draft.metadata, self.number):
            return draft
        value = draft.before.metadata.configuration.get(ATOMIC, "true")
        metadata = draft.metadata.with_configuration({**draft.metadata.configuration, ATOMIC: value})
        others = [action for action in draft.actions if not isinstance(action, (Metadata, Protocol))]
        return attrs.evolve(draft, metadata=metadata, actions=(metadata, draft.protocol, *others))

    def check_draft(self, draft: Draft) -> None:
        """Raise `IcebergCompatError` for a file whose number of rows is not known, or that may have a deletion vector.

        Where another writer has left the table in a state that Iceberg cannot read, every commit is refused, as in
        delta-spark. Deletion vectors have to be disabled before this commit, since concurrent writers may still write
        some; only REORG TABLE ... APPLY (UPGRADE UNIFORM), which rewrites such files afterwards, disables them in the
        same commit.
        """
        if not is_on(draft.metadata, self.number):
            return
        needed = {"columnMapping", "rowTracking"} if self.needs_row_tracking else {"columnMapping"}
        lost = sorted((needed & draft.before.supported) - draft.supported)
        if lost:
            raise self._violation("needs features", "DISABLING_REQUIRED_TABLE_FEATURE", {"lost": lost})
        if (
            not self.allows_deletion_vectors
            and "deletionVectors" in draft.supported
            and draft.operation.name != UPGRADE_UNIFORM
        ):
            self._ensure_no_deletion_vectors(draft.before.metadata)
        if draft.metadata == draft.before.metadata:
            self._ensure_can_be_followed(draft.metadata, draft.metadata, draft.supported)
        if self.needs_row_tracking:
            _ensure_rows_were_not_tracked(draft)
        for file in draft.adds:
            if physical_records(file) is None:
                raise IcebergCompatError(
                    f"IcebergCompatV{self.number} needs numRecords in the statistics of {file.path}.",
                    fix="Write numRecords with every file.",
                    details={"path": file.path, "number": self.number},
                    delta_class="UnsupportedOperationException",
                )

    def _ensure_may_be_switched_off(self, change: MetadataChange) -> None:
        was_on = not change.before.is_new and is_on(change.before.metadata, self.number)
        if self.number >= 3 and was_on:
            raise IcebergCompatError(
                "IcebergCompat cannot be disabled",
                fix=f"Leave {ICEBERG_COMPAT[self.number]} at true, or copy the data into a new table.",
                details={"number": self.number},
                delta_class="UnsupportedOperationException",
            )

    def _ensure_partitionable(self, metadata: Metadata) -> None:
        names = {name.lower() for name in metadata.partition_columns}
        for field in metadata.schema.fields:
            if field.name.lower() in names and not (
                isinstance(field.type, str) and base_type(field.type) in PARTITIONING
            ):
                raise self._violation(
                    "cannot be partitioned by a type", "UNSUPPORTED_PARTITION_DATA_TYPE", {"column": field.name}
                )

    def _ensure_types_can_be_followed(self, metadata: Metadata) -> None:
        for path, before, after in changes_iceberg_cannot_follow(metadata.schema):
            raise self._violation(
                "cannot follow a change of type",
                "UNSUPPORTED_TYPE_WIDENING",
                {"column": quote_path(path), "before": before, "after": after},
            )

    def _ensure_literal_defaults(self, metadata: Metadata) -> None:
        field = first_default_that_is_no_literal(metadata.schema)
        if field is not None:
            raise self._violation("needs defaults to be literals", "UNSUPPORTED_DATA_TYPE", {"column": field.name})

    def _ensure_no_deletion_vectors(self, metadata: Metadata) -> None:
        if metadata.is_on(DELETION_VECTORS):
            raise self._violation(
                "needs deletion vectors to be off", "DELETION_VECTORS_SHOULD_BE_DISABLED", {"key": DELETION_VECTORS}
            )

    def _wrong_property(self, key: str, found: str, needed: str) -> IcebergCompatError:
        return self._violation(
            f"needs {key} to be {needed}, found {found}",
            "WRONG_REQUIRED_TABLE_PROPERTY",
            {"key": key, "found": found, "needed": needed},
        )

    def _violation(self, rule: str, condition: str, details: Mapping[str, object]) -> IcebergCompatError:
        shown = ", ".join(f"{key} {value}" for key, value in details.items())
        return IcebergCompatError(
            f"IcebergCompatV{self.number} {rule} ({shown}).",
            fix=f"Follow the rule, or leave {ICEBERG_COMPAT[self.number]} off.",
            details={"number": self.number, **details},
            delta_condition=f"DELTA_ICEBERG_COMPAT_VIOLATION.{condition}",
        )


def _ensure_rows_were_not_tracked(draft: Draft) -> None:
    """Refuse to enable version 3 by ALTER TABLE where rows are tracked already: their ids follow other rules."""
    before = draft.before.metadata
    if draft.operation.name != "SET TBLPROPERTIES" or draft.before.is_new or is_on(before, 3):
        return
    if before.is_on(ROW_TRACKING):
        raise IcebergCompatError(
            f"{ICEBERG_COMPAT[3]} cannot be set by ALTER TABLE while {ROW_TRACKING} is true.",
            fix=f"Set {ROW_TRACKING} to false first.",
            details={"number": 3, "key": ROW_TRACKING},
            delta_class="UnsupportedOperationException",
        )


def is_on(metadata: Metadata, number: int) -> bool:
    """Whether this version is enabled. Raises `PropertyInvalidError`."""
    key = ICEBERG_COMPAT[number]
    return metadata.is_on(key)


def _switches(metadata: Metadata) -> Mapping[str, object]:
    return {ICEBERG_COMPAT[number]: "true" for number in ICEBERG_COMPAT if is_on(metadata, number)}


def is_plain(data_type: DataType) -> bool:
    """Whether the type is one that every version of Iceberg has."""
    if isinstance(data_type, UserDefinedType):
        return False
    return not isinstance(data_type, str) or base_type(data_type) in PLAIN
