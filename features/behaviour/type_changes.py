"""What both type widening features do at commit: keep the table versions in type change notes right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from deltaresolver.errors import FeatureInUseError
from deltaresolver.model.actions import Action
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, RemainingTable, TableState, Winner
from deltaresolver.model.facts.keys import TYPE_CHANGES, TYPE_WIDENING
from deltaresolver.model.facts.widening import widens
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.schema import (
    ArrayType,
    DataType,
    FieldPath,
    MapType,
    StructField,
    StructType,
    quote_path,
    walk_fields,
)

VERSION = "tableVersion"
PREVIEW = "typeWidening-preview"
TO_CURRENT_TYPES = Operation("REORG", {"predicate": "[]", "applyPurge": False})
"""Files written again in the types that their columns have now."""


class TypeWideningBehaviour(FeatureBehaviour):
    """Types may become wider, which is noted; a note keeps the version that made it, where it has one at all."""

    def note_type_change(
        self, table: TableState, field: StructField, before: str, after: str, place: FieldPath
    ) -> Mapping[str, Any] | None:
        """The change after those noted already, where every reader of the feature can follow it."""
        if not table.metadata.is_on(TYPE_WIDENING) or not widens(before, after):
            return None
        change: dict[str, Any] = {"toType": after, "fromType": before}
        if PREVIEW in table.supported:
            change[VERSION] = table.table_version + 1
        if place:
            change["fieldPath"] = ".".join(place)
        metadata = field.metadata or {}
        return {**metadata, TYPE_CHANGES: [*metadata.get(TYPE_CHANGES, ()), change]}

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """Changes of this commit belong to the version the commit will now have."""
        if not draft.changes_metadata:
            return draft
        if not draft.metadata.is_on(TYPE_WIDENING):
            return draft
        schema = _moved_struct(draft.metadata.schema, winner.table_version, winner.table_version + 1)
        return draft if schema == draft.metadata.schema else draft.with_metadata(draft.metadata.with_schema(schema))

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Switch it off, then forget the type changes, where no file can hold a value of the old type.

        Raises `FeatureInUseError` where files have to be rewritten.
        """
        changed = list(_changed_fields(table.metadata))
        if changed and next(iter(table.files()), None) is not None:
            columns = ", ".join(quote_path(path) for path, _ in changed)
            raise FeatureInUseError(
                f"typeWidening cannot be dropped here: {columns} changed type, and files may hold the old one.",
                fix="Run `deltaresolver plan TABLE_PATH --drop-feature typeWidening`, which finds the way and "
                "with --apply rewrites those files; or ALTER TABLE ... DROP FEATURE typeWidening in Spark.",
                details={"feature": "typeWidening", "columns": [list(path) for path, _ in changed]},
            )
        if self.find_trace(table) is not None and "UNSET TBLPROPERTIES" not in made:
            operation = Operation("UNSET TBLPROPERTIES", {"properties": f'["{TYPE_WIDENING}"]', "ifExists": True})
            properties = {key: value for key, value in table.metadata.configuration.items() if key != TYPE_WIDENING}
            return PreparatoryCommit(operation, metadata=table.metadata.with_configuration(properties))
        if not changed:
            return None
        shown = json.dumps([_shown(path, field) for path, field in changed], separators=(",", ":"))
        schema = _without_changes(table.metadata.schema)
        operation = Operation("DROP FEATURE", {"columns": shown})
        return PreparatoryCommit(operation, metadata=table.metadata.with_schema(schema))

    def find_trace(self, table: RemainingTable) -> str | None:
        """The property, or a column that changed its type."""
        if table.metadata.is_on(TYPE_WIDENING):
            return f"{TYPE_WIDENING} = true"
        found = next(_changed_fields(table.metadata), None)
        return None if found is None else f"column {quote_path(found[0])} changed its type"

    def is_trace(self, action: Action) -> bool:
        """A schema with a column that changed its type."""
        return isinstance(action, Metadata) and next(_changed_fields(action), None) is not None


def _changed_fields(metadata: Metadata) -> Iterator[tuple[FieldPath, StructField]]:
    return ((path, field) for path, field in walk_fields(metadata.schema) if TYPE_CHANGES in (field.metadata or {}))


def _shown(path: FieldPath, field: StructField) -> dict[str, Any]:
    return {
        "name": quote_path(path),
        "type": msgspec.to_builtins(field.type),
        "nullable": field.nullable,
        "metadata": field.metadata,
    }


def _without_changes(struct: StructType) -> StructType:
    return StructType(
        tuple(
            StructField(
                field.name,
                _type_without_changes(field.type),
                field.nullable,
                {key: value for key, value in (field.metadata or {}).items() if key != TYPE_CHANGES},
            )
            for field in struct.fields
        )
    )


def _type_without_changes(data_type: DataType) -> DataType:
    if isinstance(data_type, StructType):
        return _without_changes(data_type)
    if isinstance(data_type, ArrayType):
        return ArrayType(_type_without_changes(data_type.element_type), data_type.contains_null)
    if isinstance(data_type, MapType):
        key, value = _type_without_changes(data_type.key_type), _type_without_changes(data_type.value_type)
        return MapType(key, value, data_type.value_contains_null)
    return data_type


def _moved_struct(struct: StructType, from_version: int, to_version: int) -> StructType:
    return StructType(tuple(_moved_field(field, from_version, to_version) for field in struct.fields))


def _moved_field(field: StructField, from_version: int, to_version: int) -> StructField:
    metadata = dict(field.metadata or {})
    if TYPE_CHANGES in metadata:
        metadata[TYPE_CHANGES] = [_moved_change(change, from_version, to_version) for change in metadata[TYPE_CHANGES]]
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
