"""A table whose protocol goes up step by step, and down again, as commits."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from tests.unit.cli.running import column, first_commit, struct, write_table

Action = dict[str, Any]
LEGACY = ["appendOnly", "changeDataFeed", "checkConstraints", "columnMapping", "generatedColumns", "invariants"]
MAPPED = {"delta.columnMapping.mode": "name"}
TRACKED = {**MAPPED, "delta.enableRowTracking": "true"}


def info(operation: str, **properties: str) -> Action:
    """What a writer notes about its commit, with the properties that the statement set."""
    return {
        "commitInfo": {
            "timestamp": 1_780_000_000_000,
            "operation": operation,
            "operationParameters": {"properties": json.dumps(properties)},
            "userName": "ada",
            "engineInfo": "Engine/1.0",
        }
    }


def protocol(reader: int, writer: int, readers: list[str] | None = None, writers: list[str] | None = None) -> Action:
    """A protocol action."""
    value: dict[str, Any] = {"minReaderVersion": reader, "minWriterVersion": writer}
    value |= {} if readers is None else {"readerFeatures": readers}
    value |= {} if writers is None else {"writerFeatures": writers}
    return {"protocol": value}


def metadata_action(configuration: dict[str, str], *columns: dict[str, object]) -> Action:
    """The first commit's metaData with these properties, and with these columns after its own."""
    value = copy.deepcopy(first_commit()[1]["metaData"])
    value["configuration"] = configuration
    value["schemaString"] = json.dumps(struct(column("id"), *columns))
    return {"metaData": value}


def commits() -> list[list[Action]]:
    """Created; written; mapped; tracked and timestamps asked for; a variant column; both dropped."""
    tracked = [*LEGACY, "domainMetadata", "rowTracking", "timestampNtz"]
    asked = {"delta.feature.timestampNtz": "supported", "delta.enableRowTracking": "true"}
    return [
        [info("CREATE TABLE"), *first_commit()],
        [info("WRITE")],
        [info("SET TBLPROPERTIES", **MAPPED), protocol(2, 5), metadata_action(MAPPED)],
        [
            info("SET TBLPROPERTIES", **asked),
            protocol(3, 7, ["columnMapping", "timestampNtz"], tracked),
            metadata_action(TRACKED),
        ],
        [
            info("ADD COLUMNS"),
            protocol(3, 7, ["columnMapping", "timestampNtz", "variantType"], [*tracked, "variantType"]),
            metadata_action(TRACKED, column("payload", "variant")),
        ],
        [
            info("DROP FEATURE"),
            protocol(3, 7, ["columnMapping", "timestampNtz"], [*LEGACY, "domainMetadata", "timestampNtz"]),
            metadata_action(MAPPED),
        ],
    ]


def write_evolving_table(folder: Path) -> Path:
    """The table, in a folder."""
    return write_table(folder, *commits())
