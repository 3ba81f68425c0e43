"""Statistics, counters and schemas of a table with impossible values: only errors of this library are raised, soon."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fuzz.case import Target
from tests.fuzz.law import hold
from tests.fuzz.tables import name_of, use_in_every_way
from tests.logs import PROTOCOL, Json, add, domain, info, lines, metadata, remove, txn

pytestmark = pytest.mark.slow

EVERYTHING = Target("everything", lambda _: {}, use_in_every_way)
DEEP = 5000


def field(name: str, kind: Any = "long", **notes: Any) -> Json:
    return {"name": name, "type": kind, "nullable": True, "metadata": notes}


def struct(*fields: Json) -> Json:
    return {"type": "struct", "fields": list(fields)}


def listing(*features: str) -> Json:
    readers = [name for name in features if name == "columnMapping"]
    return {
        "protocol": {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": readers,
            "writerFeatures": list(features),
        }
    }


def ensure_harmless(*commits: list[Json]) -> None:
    breach = hold(EVERYTHING, {name_of(version): lines(actions) for version, actions in enumerate(commits)})
    assert breach is None, breach.told


SCHEMA = json.dumps(
    struct(field("id"), field("p", "string"), field("at", "timestamp"), field("s", struct(field("a", "double"))))
)
ODD_STATISTICS = {
    "a negative count": '{"numRecords":-1}',
    "the highest count": '{"numRecords":9223372036854775807}',
    "a count beyond 64 bits": '{"numRecords":9223372036854775808}',
    "a count beyond all": '{"numRecords":1e400}',
    "half a row": '{"numRecords":1.5}',
    "a count as text": '{"numRecords":"3"}',
    "a count that is true": '{"numRecords":true}',
    "a count in a list": '{"numRecords":[1]}',
    "a count of 5,000 digits": '{"numRecords":%s}' % ("9" * 5000),
    "two counts": '{"numRecords":1,"numRecords":2}',
    "a list": "[]",
    "null": "null",
    "a text": '"x"',
    "nothing": "",
    "half": "{",
    "deep lists": '{"numRecords":3,"minValues":' + "[" * DEEP + "]" * DEEP + "}",
    "deep objects": '{"numRecords":3,"minValues":' + '{"s":' * DEEP + "1" + "}" * (DEEP + 1),
    "bounds of other types": '{"minValues":{"id":"x"},"maxValues":{"id":{}},"numRecords":3}',
    "bounds beyond all": '{"minValues":{"id":1e999},"maxValues":{"id":-1e999},"numRecords":3}',
    "moments that are none": '{"minValues":{"at":"99999-01-01T00:00:00Z"},"maxValues":{"at":"x"},"numRecords":3}',
    "a moment as a number": '{"minValues":{"at":9999999999999999999},"numRecords":3}',
    "a zone that is none": '{"numRecords":3,"minValues":{"at":"2020-01-01T00:00:00+99:99"}}',
    "a year of 100,000 digits": '{"numRecords":3,"minValues":{"at":"%s-01-01"}}' % ("9" * 100_000),
    "more nulls than rows": '{"nullCount":{"id":9223372036854775807,"p":-5,"s":3},"numRecords":3}',
    "true nulls": '{"nullCount":{"id":true,"s":{"a":false}},"numRecords":3}',
    "nulls in a struct that is none": '{"nullCount":{"id":{"a":1}},"numRecords":3}',
    "no objects": '{"minValues":null,"maxValues":[],"nullCount":"x","numRecords":3}',
    "halves of characters": '{"minValues":{"p":"\\ud800"},"maxValues":{"p":"\\udfff"},"numRecords":3}',
    "three megabytes": '{"minValues":{"p":"%s"},"numRecords":3}' % ("x" * 3_000_000),
    "100,000 columns": '{"numRecords":3,"minValues":{' + ",".join(f'"c{at}":1' for at in range(100_000)) + "}}",
    "bounds that are no bounds": '{"numRecords":3,"tightBounds":"no","minValues":{"s":{"a":"NaN"}}}',
    "a number of 400 digits": '{"numRecords":3,"minValues":{"id":%s.5}}' % ("1" * 400),
}


@pytest.mark.parametrize("as_struct", ["true", "false"])
@pytest.mark.parametrize("said", ODD_STATISTICS)
def test_impossible_statistics_end_in_errors_of_this_library_alone(said: str, as_struct: str) -> None:
    stats = ODD_STATISTICS[said]
    table = metadata({"delta.checkpoint.writeStatsAsStruct": as_struct}, SCHEMA)
    honest = add("2", stats='{"numRecords":2,"minValues":{"id":1},"maxValues":{"id":2},"nullCount":{"id":0}}')
    ensure_harmless([PROTOCOL, table], [add("1", stats=stats), honest])


NUMBERS: dict[str, Any] = {
    "the highest": 2**63 - 1,
    "beyond": 2**63,
    "negative": -5,
    "a fraction": 1.5,
    "text": "7",
    "true": True,
    "nothing": None,
    "a list": [1],
}


def counters(number: Any) -> dict[str, list[list[Json]]]:
    whole = number if type(number) is int else 1
    mapped = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": "c"}
    counted = {
        "delta.identity.start": 1,
        "delta.identity.step": number,
        "delta.identity.highWaterMark": number,
        "delta.identity.allowExplicitInsert": False,
    }
    dated = {"delta.enableInCommitTimestamps": "true"}
    since = {
        "delta.inCommitTimestampEnablementVersion": str(number),
        "delta.inCommitTimestampEnablementTimestamp": str(number),
    }
    ids = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": str(number)}
    return {
        "row ids": [
            [
                listing("rowTracking", "domainMetadata"),
                metadata({"delta.enableRowTracking": "true"}),
                domain("delta.rowTracking", json.dumps({"rowIdHighWaterMark": number})),
            ],
            [add("1", stats='{"numRecords":5}', baseRowId=whole, defaultRowCommitVersion=whole)],
        ],
        "identity": [
            [listing("identityColumns"), metadata(schema=json.dumps(struct(field("id", **counted), field("x"))))],
            [add("1", stats='{"numRecords":5,"maxValues":{"id":9}}')],
        ],
        "in-commit timestamps": [
            [info(inCommitTimestamp=number), listing("inCommitTimestamp"), metadata(dated)],
            [info(inCommitTimestamp=number), add("1")],
        ],
        "since when they are": [
            [info(inCommitTimestamp=5), listing("inCommitTimestamp"), metadata({**dated, **since})],
            [info(inCommitTimestamp=6), add("1")],
        ],
        "column ids": [
            [listing("columnMapping"), metadata(ids, json.dumps(struct(field("id", **mapped))))],
            [add("1")],
        ],
        "applications": [[PROTOCOL, metadata()], [txn("a", number, lastUpdated=number), add("1")]],
        "sizes": [[PROTOCOL, metadata()], [add("1", size=number, modificationTime=number), add("2", size=whole)]],
        "sums of sizes": [[PROTOCOL, metadata()], [add("1", size=whole), add("2", size=whole)]],
        "deletions": [[PROTOCOL, metadata()], [add("1")], [remove("1", at=number, size=number)]],
        "protocol": [[{"protocol": {"minReaderVersion": number, "minWriterVersion": number}}, metadata()], [add("1")]],
        "decimals": [
            [PROTOCOL, metadata(schema=json.dumps(struct(field("d", f"decimal({number},{number})"))))],
            [add("1", stats='{"numRecords":1,"minValues":{"d":1.5}}')],
        ],
    }


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("what", counters(1))
def test_counters_at_their_end_end_in_errors_of_this_library_alone(what: str, number: str) -> None:
    ensure_harmless(*counters(NUMBERS[number])[what])


PAIR = struct(field("a"), field("A", "string"))
TWICE = struct(field("a"), field("a", "string"))
MAPPED = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "x"}
SCHEMAS: dict[str, Json] = {
    "the same column twice": struct(field("id"), field("id")),
    "in other capitals": struct(field("id"), field("ID", "string")),
    "twice in a struct": struct(field("s", TWICE)),
    "in other capitals in a struct": struct(field("s", PAIR)),
    "twice in a list": struct(field("s", {"type": "array", "elementType": TWICE, "containsNull": True})),
    "twice in a map": struct(
        field("s", {"type": "map", "keyType": PAIR, "valueType": TWICE, "valueContainsNull": True})
    ),
    "capitals of Turkish": struct(field("I"), field("ı"), field("İ"), field("i̇")),
    "capitals that are longer": struct(field("straße"), field("STRASSE"), field("ſ"), field("s")),
    "composed and decomposed": struct(field("\u00e9"), field("e\u0301")),
    "a dot and a struct": struct(field("a.b"), field("a", struct(field("b")))),
    "names that are empty": struct(field(""), field("")),
    "no columns": struct(),
    "5,000 times the same": struct(*[field("id")] * 5000),
    "4,000 columns": struct(*[field(f"c{number}") for number in range(4000)]),
    "the same id and physical name": struct(field("a", **MAPPED), field("b", **MAPPED)),
    "names of Spark and of Delta": struct(field("_metadata"), field("_change_type"), field("_commit_version")),
    "NUL and half a character": struct(field("a\0b"), field("\ud800")),
}
PARTITIONS: tuple[list[str], ...] = ([], ["id"], ["ID"], ["id", "id"], ["s"], ["s.a"], ["missing"], [""])


@pytest.mark.parametrize("mode", ["none", "name", "id"])
@pytest.mark.parametrize("which", SCHEMAS)
def test_schemas_with_columns_named_twice_or_not_at_all_end_in_errors_of_this_library(which: str, mode: str) -> None:
    statistics = (
        '{"numRecords":3,"minValues":{"id":1,"ID":"x","s":{"a":1,"A":2}},"maxValues":{"id":1},"nullCount":{"id":0}}'
    )
    properties = {"delta.columnMapping.mode": mode, "delta.columnMapping.maxColumnId": "9"}
    unmapped = {"delta.checkpoint.writeStatsAsStruct": "true", "delta.dataSkippingStatsColumns": "id,`a.b`,s.a,ID"}
    is_large = len(SCHEMAS[which]["fields"]) > 1000
    for partition in PARTITIONS[: 1 if is_large else None]:
        table = metadata(unmapped if mode == "none" else properties, json.dumps(SCHEMAS[which]))
        table["metaData"]["partitionColumns"] = partition
        file = add("1", stats=statistics, partitionValues=dict.fromkeys(partition, "1"))
        ensure_harmless([PROTOCOL if mode == "none" else listing("columnMapping"), table], [file])
