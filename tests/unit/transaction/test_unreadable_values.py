"""Properties that nobody can read are mended by the command that every error about them names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.resolution.resolve import resolve_upgrade
from deltaresolver.table import Table
from tests.logs import LogBuilder, add, metadata
from tests.nasty import UNREADABLE_PROPERTIES

LEGACY: dict[str, Any] = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
LISTED: dict[str, Any] = {
    "protocol": {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["columnMapping", "deletionVectors", "v2Checkpoint"],
        "writerFeatures": ["appendOnly", "columnMapping", "deletionVectors", "v2Checkpoint"],
    }
}
TWO = {key: value for key, value, _ in UNREADABLE_PROPERTIES if key in ("delta.appendOnly", "delta.checkpointPolicy")}


def made(place: Path, properties: dict[str, str], protocol: dict[str, Any] = LEGACY) -> Table:
    LogBuilder.local(place).commit(protocol, metadata(properties), add("a"))
    return Table(place)


def ensure_understood(table: Table) -> None:
    table.update()
    resolve_upgrade(table.metadata, table.protocol, table.catalog)
    table.alter({"mine": "1"})


@pytest.mark.parametrize("protocol", [LEGACY, LISTED], ids=["legacy", "listed"])
@pytest.mark.parametrize(("key", "bad", "good"), UNREADABLE_PROPERTIES)
def test_an_unreadable_property_can_be_set_and_unset(
    tmp_path: Path, key: str, bad: str, good: str, protocol: dict[str, Any]
) -> None:
    table = made(tmp_path / "unset", {key: bad, "kept": "x"}, protocol)
    with pytest.raises(PropertyInvalidError):
        resolve_upgrade(table.metadata, table.protocol, table.catalog)
    outcome = table.alter({}, [key])
    assert (outcome.properties_before[key], key in outcome.properties_after) == (bad, False)
    assert outcome.before == outcome.after == table.update().protocol
    ensure_understood(table)

    table = made(tmp_path / "set", {key: bad, "kept": "x"}, protocol)
    dry = table.alter({key: good}, dry_run=True)
    outcome = table.alter({key: good})
    assert (dry.after, dry.properties_after) == (outcome.after, outcome.properties_after)
    assert (outcome.properties_after[key], outcome.properties_after["kept"]) == (good, "x")
    assert table.update().metadata.configuration[key] == good
    ensure_understood(table)


def test_several_unreadable_properties_are_mended_at_once_and_the_error_names_them(tmp_path: Path) -> None:
    table = made(tmp_path, TWO)
    with pytest.raises(PropertyInvalidError) as caught:
        table.alter({}, ["delta.appendOnly"])
    assert caught.value.fix == (
        "Set delta.checkpointPolicy to one of classic, v2, or unset it, in the same command as delta.appendOnly."
    )
    assert table.update().table_version == 0
    table.alter({}, list(TWO))
    ensure_understood(table)


def test_columns_keep_their_names_in_data_files(tmp_path: Path) -> None:
    """Were the mode none afterwards, the column would be looked for by a name that no file has."""
    named = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-1"}
    field = {"name": "id", "type": "long", "nullable": True, "metadata": named}
    mode = {"delta.columnMapping.mode": "nam", "delta.columnMapping.maxColumnId": "1"}
    action = metadata(mode)
    action["metaData"]["schemaString"] = json.dumps({"type": "struct", "fields": [field]})
    protocol = {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}
    LogBuilder.local(tmp_path).commit(protocol, action, add("a"))
    table = Table(tmp_path)
    changes: list[tuple[dict[str, str], list[str]]] = [({}, [next(iter(mode))]), ({next(iter(mode)): "none"}, [])]
    for to_set, to_unset in changes:
        with pytest.raises(PropertyInvalidError, match="names of their own") as caught:
            table.alter(to_set, to_unset)
        assert caught.value.fix == "Set delta.columnMapping.mode to name or id."
    table.alter({"delta.columnMapping.mode": "name"})
    assert "col-1" in str(table.update().metadata.schema_string)
    ensure_understood(table)
