"""The common behaviour of both type widening features: notes of type changes with correct table versions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from deltaresolver.errors import FeatureInUseError
from deltaresolver.model.actions import Action
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, RemainingTable, TableState, Winner
from deltaresolver.model.facts.keys import TYPE_CHANGES, TYPE_WIDENING
from deltaresolver.model.facts.leaf_types import widens
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.schema import (
    FieldPath,
    StructField,
    quote_path,
    walk_fields,
    with_field_metadata,
)

VERSION = "tableVersion"
PREVIEW = "typeWidening-preview"
TO_CURRENT_TYPES = Operation("REORG", {"predicate": "[]", "applyPurge": False})
"""The operation that rewrites files with the current types of their columns."""


class TypeWideningBehaviour(FeatureBehaviour):
    """Notes wider types in the schema; a note has the table version of its commit, if the feature's notes have one."""

    def note_type_change(
        self, table: TableState, field: StructField, before: str, after: str, place: FieldPath
    ) -> Mapping[str, Any] | None:
        """The notes with this change added; None where some reader of the feature cannot follow the change."""
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
        """Correct the version in notes of this commit to its new one."""
        if not draft.changes_metadata:
            return draft
        if not draft.metadata.is_on(TYPE_WIDENING):
            return draft
        before, after = winner.table_version, winner.table_version + 1
        schema = with_field_metadata(draft.metadata.schema, lambda _, field: _moved_notes(field, before, after))
        return draft if schema == draft.metadata.schema else draft.with_metadata(draft.metadata.with_schema(schema))

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Disable the feature, then remove the notes, if no file can hold a value of an old type.

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
        schema = with_field_metadata(table.metadata.schema, _without_notes)
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


def _without_notes(_: FieldPath, field: StructField) -> Mapping[str, Any]:
    return {key: value for key, value in (field.metadata or {}).items() if key != TYPE_CHANGES}


def _moved_notes(field: StructField, from_version: int, to_version: int) -> Mapping[str, Any]:
    metadata = dict(field.metadata or {})
    if TYPE_CHANGES in metadata:
        metadata[TYPE_CHANGES] = [_moved_change(change, from_version, to_version) for change in metadata[TYPE_CHANGES]]
    return metadata


def _moved_change(change: Any, from_version: int, to_version: int) -> Any:
    if isinstance(change, dict) and change.get(VERSION) == from_version:
        return {**change, VERSION: to_version}
    return change
