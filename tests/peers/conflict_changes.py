"""Random changes of metadata and protocol, for winners and losers alike."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.peers.conflict_tables import MAPPED, ROW_TRACKING, RandomTable, features_protocol
from tests.peers.random_protocol import KNOWN_FEATURES, LEGACY_WRITER_FEATURES

Json = dict[str, Any]

REQUIRES = {
    "adaptiveMetadata-preview": ("catalogManaged", "columnMapping", "deletionVectors", "domainMetadata",
    "rowTracking",
                                 "inCommitTimestamp", "vacuumProtocolCheck"),
    "catalogManaged": ("inCommitTimestamp", "vacuumProtocolCheck"),
    "clustering": ("domainMetadata",),
    "coordinatedCommits-preview": ("inCommitTimestamp", "vacuumProtocolCheck"),
    "icebergCompatV1": ("columnMapping",),
    "icebergCompatV2": ("columnMapping",),
    "icebergCompatV3": ("columnMapping", "rowTracking", "domainMetadata"),
    "rowTracking": ("domainMetadata",),
    "variantShredding": ("variantType",),
    "variantShredding-preview": ("variantType-preview",),
}  # fmt: skip
STARTS_NOW = {
    "delta.enableInCommitTimestamps": "true",
    "delta.inCommitTimestampEnablementVersion": "1",
    "delta.inCommitTimestampEnablementTimestamp": "4102444800000",
}
PROPERTIES: dict[str, Json] = {
    "custom": {"foo": "bar"}, "custom-2": {"k": "v"}, "vectors-on": {"delta.enableDeletionVectors": "true"},
    "vectors-off": {"delta.enableDeletionVectors": "false"}, "rows-on": ROW_TRACKING,
    "rows-off": {**ROW_TRACKING, "delta.enableRowTracking": "false"},
    "rows-flag": {"delta.enableRowTracking": "true"},
    "rows-columns": {key: value for key, value in ROW_TRACKING.items() if "materialized" in key},
    "v2": {"delta.checkpointPolicy": "v2"}, "classic": {"delta.checkpointPolicy": "classic"}, "timed-on": STARTS_NOW,
    "timed-off": {"delta.enableInCommitTimestamps": "false"},
    "timed-flag": {"delta.enableInCommitTimestamps": "true"},
    "feed-on": {"delta.enableChangeDataFeed": "true"}, "feed-off": {"delta.enableChangeDataFeed": "false"},
    "append-only": {"delta.appendOnly": "true"}, "catalog": {"io.unitycatalog.tableId": "t"},
    "widening-on": {"delta.enableTypeWidening": "true"}, "constraint": {"delta.constraints.c1": "id > 0"},
    "level": {"delta.isolationLevel": "Serializable"}, "retention": {"delta.logRetentionDuration": "interval 1 day"},
    "two": {"delta.enableDeletionVectors": "true", "delta.checkpointPolicy": "v2"},
    "two-bad": {"delta.enableDeletionVectors": "true", "foo": "bar"},
    "rows-and-vectors": {"delta.enableDeletionVectors": "true", **ROW_TRACKING},
    "mode-only": {"delta.columnMapping.mode": "name"},
    "protection": {"delta.requireCheckpointProtectionBeforeVersion": "1"},
    "suspended": {"delta.rowTrackingSuspended": "true"}, "interval": {"delta.checkpointInterval": "5"},
}  # fmt: skip


def changed_metadata(random: Random, table: RandomTable, base: Json | None = None) -> Json:
    """The table's metadata with one change, or none."""
    metadata: Json = json.loads(json.dumps(base or table.metadata))
    if random.random() < 0.62:
        metadata["configuration"] |= PROPERTIES[random.choice(tuple(PROPERTIES))]
        return metadata
    changed: Json = random.choice(_SHAPES)(random, metadata)
    return changed


def _same(_: Random, metadata: Json) -> Json:
    return metadata


def _described(random: Random, metadata: Json) -> Json:
    field = random.choice((("name", "t"), ("description", "d"), ("id", "00000000-0000-4000-8000-000000000002"),
                           ("createdTime", 1700000000001)))  # fmt: skip
    return {**metadata, field[0]: field[1]}


def _without_property(random: Random, metadata: Json) -> Json:
    if metadata["configuration"]:
        metadata["configuration"].pop(random.choice(sorted(metadata["configuration"])))
    return metadata


def _with_schema(change: Callable[[Random, list[Json]], None]) -> Callable[[Random, Json], Json]:
    def apply(random: Random, metadata: Json) -> Json:
        schema = json.loads(metadata["schemaString"])
        change(random, schema["fields"])
        metadata["schemaString"] = json.dumps(schema, separators=(",", ":"))
        return metadata

    return apply


def _add_column(random: Random, fields: list[Json]) -> None:
    fields.append({"name": "w", "type": random.choice(("string", "long", "date")), "nullable": True, "metadata": {}})


def _comment(random: Random, fields: list[Json]) -> None:
    random.choice(fields)["metadata"]["comment"] = "x"


def _require(random: Random, fields: list[Json]) -> None:
    random.choice(fields)["nullable"] = False


def _widen(_: Random, fields: list[Json]) -> None:
    if fields[0]["type"] == "integer":
        fields[0]["type"] = "long"
        fields[0]["metadata"]["delta.typeChanges"] = [{"fromType": "integer", "toType": "long"}]
    elif fields[0]["type"] == "long":
        # As the preview of the feature noted it.
        noted = {"fromType": "integer", "toType": "long", "tableVersion": 1}
        fields[0]["metadata"]["delta.typeChanges"] = [noted]


def _count_identity(_: Random, fields: list[Json]) -> None:
    if "delta.identity.highWaterMark" in fields[0]["metadata"]:
        fields[0]["metadata"]["delta.identity.highWaterMark"] = 40


def _mapped(random: Random, metadata: Json) -> Json:
    """Column mapping by name as ALTER TABLE turns it on, at times with one thing more."""
    schema = json.loads(metadata["schemaString"])
    for number, field in enumerate(schema["fields"], 1):
        field["metadata"] |= {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": field["name"]}
    metadata["configuration"] |= {**MAPPED, "delta.columnMapping.maxColumnId": str(len(schema["fields"]))}
    if random.random() < 0.25:
        random.choice((_comment, _require, _add_column))(random, schema["fields"])
    if random.random() < 0.1:
        metadata["configuration"]["delta.columnMapping.mode"] = "id"
    metadata["schemaString"] = json.dumps(schema, separators=(",", ":"))
    return metadata


_SHAPES: tuple[Callable[[Random, Json], Json], ...] = (
    _same, _same, _described, _without_property, _mapped, _mapped, _with_schema(_add_column), _with_schema(_comment),
    _with_schema(_require), _with_schema(_widen), _with_schema(_count_identity), _with_schema(_count_identity),
)  # fmt: skip


def changed_protocol(random: Random, table: RandomTable) -> Json:
    """A protocol a commit may put in place of the table's: more, less, the same, or beyond anybody."""
    shape = random.random()
    protocol = table.protocol
    listed = list(protocol.get("writerFeatures", ()))
    if shape < 0.1:
        return dict(protocol)
    if shape < 0.6:
        return _with_more(random, listed, protocol)
    if shape < 0.75 and listed:
        gone = random.sample(listed, min(len(listed), random.choice((1, 1, 2))))
        names = [name for name in listed if name not in gone]
        return {**features_protocol(names), "writerFeatures": sorted(names)} if names else {
            "minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": []}  # fmt: skip
    if shape < 0.93:
        reader, writer = random.choice(((1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 5), (2, 6)))
        return {"minReaderVersion": reader, "minWriterVersion": writer}
    return random.choice(
        (
            {"minReaderVersion": 99, "minWriterVersion": 99, "readerFeatures": [], "writerFeatures": []},
            {"minReaderVersion": 3, "minWriterVersion": 8, "readerFeatures": [], "writerFeatures": []},
            {"minReaderVersion": 4, "minWriterVersion": 7, "readerFeatures": [], "writerFeatures": []},
            {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["bogusFeature"]},
            {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["bogusReader"],
             "writerFeatures": ["bogusReader"]},
        )
    )  # fmt: skip


def _with_more(random: Random, listed: list[str], protocol: Json) -> Json:
    names = set(listed)
    if not listed:
        names |= set(LEGACY_WRITER_FEATURES) if protocol["minWriterVersion"] >= 4 else {"appendOnly", "invariants"}
        if protocol["minReaderVersion"] >= 2:
            names.add("columnMapping")
    for name in random.sample(KNOWN_FEATURES, random.choice((1, 1, 1, 2, 3))):
        names |= {name, *(REQUIRES.get(name, ()) if random.random() < 0.9 else ())}
    whole = features_protocol(sorted(names))
    return {**whole, "writerFeatures": sorted(names)}
