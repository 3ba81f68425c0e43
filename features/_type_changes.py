"""What both type widening features do at commit: keep the table versions in type change notes right."""

from __future__ import annotations

from typing import Any

from deltaresolver.model.behaviour import Draft, FeatureBehaviour, Winner
from deltaresolver.model.rules import read_boolean
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType

ENABLED = "delta.enableTypeWidening"
CHANGES = "delta.typeChanges"
VERSION = "tableVersion"


class TypeWideningBehaviour(FeatureBehaviour):
    """A type change notes the version that made it, where it notes one at all."""

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """Changes of this commit belong to the version the commit will now have."""
        if not draft.changes_metadata:
            return draft
        if not read_boolean(ENABLED, draft.metadata.configuration.get(ENABLED, "false")):
            return draft
        schema = _moved_struct(draft.metadata.schema, winner.table_version, winner.table_version + 1)
        return draft if schema == draft.metadata.schema else draft.with_metadata(draft.metadata.with_schema(schema))


def _moved_struct(struct: StructType, from_version: int, to_version: int) -> StructType:
    return StructType(tuple(_moved_field(field, from_version, to_version) for field in struct.fields))


def _moved_field(field: StructField, from_version: int, to_version: int) -> StructField:
    metadata = dict(field.metadata or {})
    if CHANGES in metadata:
        metadata[CHANGES] = [_moved_change(change, from_version, to_version) for change in metadata[CHANGES]]
    return StructField(field.name, _moved_type(field.type, from_version, to_version), field.nullable, metadata)


def _moved_change(change: Any, from_version: int, to_version: int) -> Any:
    if isinstance(change, dict) and change.get(VERSION) == from_version:
        return {**change, VERSION: to_version}
    return change


def _moved_type(data_type: DataType, from_version: int, to_version: int) -> DataType:
    if isinstance(data_type, StructType):
        return _moved_struct(data_type, from_version, to_version)
    if isinstance(data_type, ArrayType):
        return ArrayType(_moved_type(data_type.element_type, from_version, to_version), data_type.contains_null)
    if isinstance(data_type, MapType):
        return MapType(
            _moved_type(data_type.key_type, from_version, to_version),
            _moved_type(data_type.value_type, from_version, to_version),
            data_type.value_contains_null,
        )
    return data_type
