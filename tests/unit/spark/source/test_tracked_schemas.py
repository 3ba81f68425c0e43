"""What a stream with schemaTrackingLocation notes, and which changes it goes over only with consent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.errors import StreamMetadataChangedError, StreamOffsetInvalidError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.spark.source.stream.options import parse_stream_options
from deltaresolver.spark.source.stream.tracked_schemas import SchemaTrack, TrackedSchema, ensure_agreed

PREFIX = "spark.databricks.delta.streaming."
PROTOCOL = Protocol(2, 5)


def _field(name: str, physical: str, kind: object = "integer") -> dict[str, Any]:
    notes = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": physical}
    return {"name": name, "type": kind, "nullable": True, "metadata": notes}


def _struct(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


def _metadata(*fields: dict[str, Any]) -> Metadata:
    return Metadata.from_json(
        {
            "id": "../../outside",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps(_struct(*fields)),
            "partitionColumns": [],
            "configuration": {"delta.columnMapping.mode": "name"},
        }
    )


BEFORE = _metadata(_field("a", "p1"), _field("s", "p2", _struct(_field("x", "p3"))))
RENAMED = _metadata(_field("b", "p1"), _field("s", "p2", _struct(_field("x", "p3"))))
DROPPED = _metadata(_field("a", "p1"), _field("s", "p2", _struct(_field("new", "p4"))))
RETYPED = _metadata(_field("a", "p1"), _field("s", "p2", _struct(_field("x", "p3", "long"))))
ADDED = _metadata(_field("a", "p1"), _field("s", "p2", _struct(_field("x", "p3"), _field("y", "p5"))))


def _track(folder: Path) -> SchemaTrack:
    track = SchemaTrack.at(str(folder / "track"), {}, BEFORE.id)
    assert track is not None
    return track


def test_the_last_note_is_read_and_stays_in_its_folder(tmp_path: Path) -> None:
    assert SchemaTrack.at(None, {}, "t") is None
    track = _track(tmp_path)
    assert track.latest() is None
    for version, metadata in enumerate((BEFORE, RENAMED)):
        track.add(TrackedSchema(version, metadata, PROTOCOL))
    assert _track(tmp_path).latest() == TrackedSchema(1, RENAMED, PROTOCOL)
    assert [path.name for path in tmp_path.iterdir()] == ["track"]
    assert SchemaTrack.at(str(tmp_path / "track"), {}, "other table").latest() is None  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tableVersion": "x"}', '{"tableVersion": 1, "metadata": {}}'])
def test_a_note_that_cannot_be_read_ends_the_stream(tmp_path: Path, text: str) -> None:
    track = _track(tmp_path)
    track.add(TrackedSchema(1, BEFORE, PROTOCOL))
    (note,) = (tmp_path / "track").rglob("*.json")
    note.write_text(text)
    with pytest.raises(StreamOffsetInvalidError, match="cannot be read"):
        track.latest()


@pytest.mark.parametrize(
    ("after", "options", "settings"),
    [
        (ADDED, {}, {}),
        (RENAMED, {"allowSourceColumnRename": "always"}, {}),
        (RENAMED, {"ALLOWSOURCECOLUMNRENAME": "7"}, {}),
        (RENAMED, {}, {f"{PREFIX}allowSourceColumnRenameAndDrop": "always"}),
        (DROPPED, {}, {f"{PREFIX}allowSourceColumnDrop": "7"}),
        (RETYPED, {"allowSourceColumnTypeChange": "always"}, {}),
    ],
)
def test_a_stream_goes_on_over_harmless_changes(
    after: Metadata, options: Mapping[str, str], settings: Mapping[str, str]
) -> None:
    ensure_agreed(BEFORE, TrackedSchema(7, after, PROTOCOL), parse_stream_options(options), settings)


@pytest.mark.parametrize(
    ("after", "options", "missing"),
    [
        (RENAMED, {}, "allowSourceColumnRename"),
        (RENAMED, {"allowSourceColumnRename": "6", "allowSourceColumnDrop": "always"}, "allowSourceColumnRename"),
        (DROPPED, {"allowSourceColumnRename": "always"}, "allowSourceColumnDrop"),
        (RETYPED, {"allowSourceColumnRename": "always"}, "allowSourceColumnTypeChange"),
    ],
)
def test_some_changes_end_a_stream_until_the_user_consents(
    after: Metadata, options: Mapping[str, str], missing: str
) -> None:
    settings = {f"{PREFIX}allowSourceColumnRenameAndDrop": "always"} if after is RETYPED else {}
    with pytest.raises(StreamMetadataChangedError, match="Version 7") as raised:
        ensure_agreed(BEFORE, TrackedSchema(7, after, PROTOCOL), parse_stream_options(options), settings)
    assert f"{missing} = 7" in raised.value.fix
    assert raised.value.delta_condition == "DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION"
