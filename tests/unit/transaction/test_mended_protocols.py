"""A protocol that lacks what its table needs is mended by asking for that by name, and in no other way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.errors import ProtocolMismatchError
from deltaresolver.table import Table

SCHEMA = '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}'


def written(folder: Path, protocol: dict[str, Any], properties: dict[str, str]) -> Table:
    """A table as another writer left it."""
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    metadata = {"id": "t", "format": {"provider": "parquet", "options": {}}, "schemaString": SCHEMA}
    metadata |= {"partitionColumns": [], "configuration": properties}
    lines = [{"protocol": protocol}, {"metaData": metadata}]
    (log / f"{0:020}.json").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return Table(folder)


ROW_TRACKING = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["rowTracking"]}
READER_LIST = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": [], "writerFeatures": ["appendOnly"]}
VECTORS = {"delta.enableDeletionVectors": "true"}
CASES = [
    (ROW_TRACKING, {}, ["domainMetadata"]),
    (ROW_TRACKING, {"delta.enableRowTracking": "true"}, ["DOMAINMETADATA"]),
    (READER_LIST, VECTORS, ["deletionVectors"]),
    (READER_LIST, {**VECTORS, "delta.checkpointPolicy": "v2"}, ["v2Checkpoint", "deletionVectors"]),
]


@pytest.mark.parametrize(("protocol", "properties", "missing"), CASES)
def test_what_is_missing_is_added_by_name(
    tmp_path: Path, protocol: dict[str, Any], properties: dict[str, str], missing: list[str]
) -> None:
    table = written(tmp_path / "t", protocol, properties)
    with pytest.raises(ProtocolMismatchError):
        table.alter({"mine": "1"})
    assert table.alter(add_features=missing, dry_run=True).changes_protocol
    assert table.update().table_version == 0
    table.alter(add_features=missing)
    named = {name.lower() for name in table.protocol.listed_features}
    assert named >= {name.lower() for name in missing}
    assert named >= {name.lower() for name in protocol["writerFeatures"]}
    table.alter({"mine": "1"})
    assert table.update().table_version == 2


def test_another_feature_or_a_part_of_what_is_missing_does_not_do(tmp_path: Path) -> None:
    properties = {**VECTORS, "delta.checkpointPolicy": "v2"}
    table = written(tmp_path / "t", READER_LIST, properties)
    for names in (["v2Checkpoint"], ["deletionVectors"], ["checkConstraints"]):
        with pytest.raises(ProtocolMismatchError):
            table.alter(add_features=names)
    assert table.update().table_version == 0
