"""typeWidening at commit: a note about a change of type names the version that the commit gets in the end."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from deltaresolver.features.behaviour.type_changes import TypeWideningBehaviour
from deltaresolver.model.metadata import Metadata

KEY = "delta.enableTypeWidening"


def widened(table_version: int, *, is_on: bool = True) -> Metadata:
    """A table whose column was widened by a commit that took this version for its own."""
    note = {"toType": "long", "fromType": "integer", "tableVersion": table_version}
    column = {"name": "id", "type": "long", "nullable": True, "metadata": {"delta.typeChanges": [note]}}
    schema = json.dumps({"type": "struct", "fields": [column]})
    return Metadata("t", schema_string=schema, configuration={KEY: "true"} if is_on else {})


def rebased(metadata: Metadata, *, changes: bool = True) -> int:
    """The version in the note after a winner took version 4."""
    draft: Any = SimpleNamespace(metadata=metadata, changes_metadata=changes)
    draft.with_metadata = lambda found: SimpleNamespace(metadata=found)
    winner: Any = SimpleNamespace(table_version=4)
    after: Any = TypeWideningBehaviour().rebase(draft, winner)
    return note_of(after.metadata)


def note_of(metadata: Metadata) -> int:
    """The version in the note about the only column."""
    schema = json.loads(metadata.schema_string or "")
    return int(schema["fields"][0]["metadata"]["delta.typeChanges"][0]["tableVersion"])


def test_a_note_moves_with_its_commit() -> None:
    assert rebased(widened(4)) == 5


@pytest.mark.parametrize(
    ("metadata", "changes"), [(widened(3), True), (widened(4, is_on=False), True), (widened(4), False)]
)
def test_other_notes_stay(metadata: Metadata, changes: bool) -> None:
    assert rebased(metadata, changes=changes) == note_of(metadata)
