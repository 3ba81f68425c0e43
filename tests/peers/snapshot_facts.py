"""What other implementations read back from a table, in one shape, so that states can be compared.

Facts are plain dictionaries with the log's own names:

    table_version, protocol, metadata (with `schema` parsed), files (by path), transactions (version by appId),
    domains (configuration by name)

A fact that an implementation does not tell is left out of its answer; `differences` compares what both tell.
"""

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.peers.delta_spark import DeltaSpark, start_delta_spark

Json = dict[str, Any]

FILE_DETAILS = ("size", "modificationTime", "deletionVector", "baseRowId", "defaultRowCommitVersion", "tags",
                "clusteringProvider")  # fmt: skip


def delta_spark_facts(path: str | Path, version: int | None = None) -> Json:
    """The state of a table as the real delta-spark reads it; PeerUnavailableError where that cannot run."""
    peer = start_delta_spark()
    snapshot = peer.snapshot(path, version)
    metadata = json.loads(snapshot.metadata().json())["metaData"]
    facts = _metadata_facts(metadata)
    types = {field["name"]: field["type"] for field in facts["schema"]["fields"]}
    transactions = [json.loads(text)["txn"] for text in _jsons(snapshot.setTransactions())]
    domains = [json.loads(text)["domainMetadata"] for text in _jsons(snapshot.domainMetadata())]
    return {
        "table_version": snapshot.version(),
        "protocol": _sorted_protocol(json.loads(snapshot.protocol().json())["protocol"]),
        "metadata": facts,
        "files": {file["path"]: _delta_spark_file(file, types) for file in _active_files(peer, snapshot)},
        "transactions": {transaction["appId"]: transaction["version"] for transaction in transactions},
        "domains": {domain["domain"]: domain["configuration"] for domain in domains if not domain["removed"]},
    }


def delta_rs_facts(path: str | Path, version: int | None = None, app_ids: tuple[str, ...] = ()) -> Json:
    """The state of a table as delta-rs reads it.

    It tells the transactions of given applications only, no domains, and of files the size, modification time,
    partition values and number of records.
    """
    from deltalake import DeltaTable

    table = DeltaTable(str(path), version=version)
    metadata, protocol = table.metadata(), table.protocol()
    found = {app_id: table.transaction_version(app_id) for app_id in app_ids}
    return {
        "table_version": table.version(),
        "protocol": _sorted_protocol(
            {
                "minReaderVersion": protocol.min_reader_version,
                "minWriterVersion": protocol.min_writer_version,
                "readerFeatures": protocol.reader_features,
                "writerFeatures": protocol.writer_features,
            }
        ),
        "metadata": {
            "id": metadata.id,
            "name": metadata.name,
            "description": metadata.description,
            "partitionColumns": metadata.partition_columns,
            "configuration": metadata.configuration,
            "createdTime": metadata.created_time,
            "schema": json.loads(table.schema().to_json()),
        },
        "files": {file["path"]: _delta_rs_file(file) for file in pa.table(table.get_add_actions()).to_pylist()},
        "transactions": {app_id: number for app_id, number in found.items() if number is not None},
    }


def history(path: str | Path) -> list[Json]:
    """The rows of delta-spark's DESCRIBE HISTORY, newest first, nested values as plain dictionaries."""
    rows = start_delta_spark().sql("DESCRIBE HISTORY {table}", path).collect()
    return [row.asDict(recursive=True) for row in rows]


def differences(left: Json, right: Json, at: str = "") -> list[str]:
    """Where two states disagree, as lines that name the place and both values.

    What only one implementation can tell is passed over; a file, transaction or property only one has is not.
    """
    found: list[str] = []
    open_keys = at == "" or at.startswith("/files/")
    for key in sorted({*left, *right}):
        place = f"{at}/{key}"
        if open_keys and not (key in left and key in right):
            continue
        ours, theirs = left.get(key), right.get(key)
        if isinstance(ours, dict) and isinstance(theirs, dict):
            found += differences(ours, theirs, place)
        elif ours != theirs:
            found.append(f"{place}: {ours!r} against {theirs!r}")
    return found


def _jsons(actions: Any) -> list[str]:
    """The JSON of each action of a Scala Seq."""
    return [actions.apply(position).json() for position in range(actions.size())]


def _sorted_protocol(protocol: Json) -> Json:
    """A protocol whose lists compare as sets, without the lists it does not have."""
    return {
        key: sorted(value) if isinstance(value, list) else value for key, value in protocol.items() if value is not None
    }


def _metadata_facts(metadata: Json) -> Json:
    return {
        "id": metadata["id"],
        "name": metadata.get("name"),
        "description": metadata.get("description"),
        "partitionColumns": metadata.get("partitionColumns", []),
        "configuration": metadata.get("configuration", {}),
        "createdTime": metadata.get("createdTime"),
        # A table whose schema was never set has no schemaString at all.
        "schema": json.loads(metadata.get("schemaString") or '{"type":"struct","fields":[]}'),
    }


def _active_files(peer: DeltaSpark, snapshot: Any) -> list[Json]:
    from pyspark.sql import DataFrame

    rows = DataFrame(snapshot.allFiles().toDF(), peer.spark).collect()
    return [row.asDict(recursive=True) for row in rows]


def _delta_spark_file(file: Json, types: Json) -> Json:
    stats = json.loads(file["stats"]) if file["stats"] else {}
    values = {name: _typed(types.get(name), value) for name, value in file["partitionValues"].items()}
    details = {name: file.get(name) for name in FILE_DETAILS}
    return {**details, "partitionValues": values, "numRecords": stats.get("numRecords"), "stats": stats}


def _delta_rs_file(file: Json) -> Json:
    values = file.get("partition") or {}
    return {
        "size": file["size_bytes"],
        "modificationTime": file["modification_time"],
        "partitionValues": {name: _as_text(value) for name, value in values.items()},
        "numRecords": file["num_records"],
    }


def _typed(data_type: Any, value: str | None) -> str | None:
    """A partition value in one spelling for all implementations, which differ for numbers and points in time."""
    if not value:
        return None
    if data_type in {"float", "double"}:
        return _as_text(float(value))
    if data_type in {"timestamp", "timestamp_ntz"}:
        moment = datetime.fromisoformat(value)
        return _as_text(moment if data_type == "timestamp_ntz" or moment.tzinfo else moment.replace(tzinfo=UTC))
    return value


def _as_text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return (value.astimezone(UTC) if value.tzinfo else value).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)
