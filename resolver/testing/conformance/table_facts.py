"""The facts of a snapshot in the form of the recorded corpus, and the differences between two such records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.file_key import canonical_path
from deltaresolver.model.metadata import Metadata

_VECTOR_FIELDS = ("cardinality", "offset", "pathOrInlineDv", "sizeInBytes", "storageType")


def facts_of(snapshot: Snapshot) -> dict[str, Any]:
    """Version, protocol, metadata, files, transactions and domains as JSON values; sets sorted."""
    files = sorted((_file(row) for row in snapshot.files().to_pylist()), key=_file_order)
    return {
        "version": snapshot.table_version,
        "timestamp_ms": snapshot.timestamp_ms,
        "protocol": snapshot.protocol.to_json(),
        "metadata": _metadata(snapshot.metadata),
        "num_files": len(files),
        "active_paths": [file["path"] for file in files],
        "active_files": files,
        "size_in_bytes": sum(file["size"] for file in files),
        "num_removes": snapshot.tombstones().num_rows,
        "num_set_transactions": len(snapshot.transactions),
        "set_transactions": [
            _without_nulls({"appId": each.app_id, "version": each.app_version, "lastUpdated": each.last_updated})
            for _, each in sorted(snapshot.transactions.items())
        ],
        "domain_metadata": [
            {"domain": each.domain, "configuration": each.configuration} for _, each in sorted(snapshot.domains.items())
        ],
    }


def _metadata(metadata: Metadata) -> dict[str, Any]:
    schema = json.loads(metadata.schema_string) if metadata.schema_string else {"type": "struct", "fields": []}
    return {
        "id": metadata.id,
        "name": metadata.name,
        "description": metadata.description,
        "partitionColumns": list(metadata.partition_columns),
        "configuration": dict(metadata.configuration),
        "createdTime": metadata.created_time,
        "schema": schema,
    }


def _file(row: Mapping[str, Any]) -> dict[str, Any]:
    vector = row["deletionVector"]
    stats = json.loads(row["stats"]) if row["stats"] else {}
    return _without_nulls(
        {
            "path": canonical_path(row["path"]),
            "size": row["size"],
            "partitionValues": dict(row["partitionValues"] or ()),
            "deletionVector": None
            if vector is None
            else _without_nulls({name: vector[name] for name in _VECTOR_FIELDS}),
            "baseRowId": row["baseRowId"],
            "defaultRowCommitVersion": row["defaultRowCommitVersion"],
            "numRecords": stats.get("numRecords"),
        }
    )


def _without_nulls(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if item is not None}


def _file_order(file: Mapping[str, Any]) -> tuple[str, str]:
    return file["path"], json.dumps(file.get("deletionVector"), sort_keys=True)


def differences(found: Mapping[str, Any], recorded: Mapping[str, Any]) -> Iterator[str]:
    """One sentence for each recorded fact that differs. Facts not recorded are not compared."""
    for name in ("version", "timestamp_ms", "num_files", "size_in_bytes", "num_removes", "num_set_transactions"):
        if name in recorded and found[name] != recorded[name]:
            yield f"{name}: found {found[name]}, recorded {recorded[name]}"
    yield from _protocol_differences(found["protocol"], recorded.get("protocol", {}))
    yield from _metadata_differences(found["metadata"], recorded.get("metadata", {}))
    if recorded.get("active_paths") is not None:
        paths = [canonical_path(path) for path in recorded["active_paths"]]
        yield from _list_differences("active_paths", found["active_paths"], paths)
    for name in ("set_transactions", "domain_metadata"):
        if recorded.get(name) is not None:
            yield from _list_differences(name, found[name], recorded[name])
    if recorded.get("active_files") is not None:
        yield from _file_differences(found["active_files"], recorded["active_files"])


def _protocol_differences(found: Mapping[str, Any], recorded: Mapping[str, Any]) -> Iterator[str]:
    for name, value in recorded.items():
        here, there = found.get(name), value
        if isinstance(here, list) or isinstance(there, list):
            here, there = sorted(here or ()), sorted(there or ())
        if here != there:
            yield f"protocol.{name}: found {here}, recorded {there}"


def _metadata_differences(found: Mapping[str, Any], recorded: Mapping[str, Any]) -> Iterator[str]:
    for name, value in recorded.items():
        if name == "schema" and not isinstance(value, Mapping):
            continue  # recorded once, with the other implementation
        if name in found and found[name] != value:
            yield f"metadata.{name}: found {found[name]!r:.200}, recorded {value!r:.200}"


def _list_differences(name: str, found: Sequence[Any], recorded: Sequence[Any]) -> Iterator[str]:
    here, there = ({json.dumps(item, sort_keys=True) for item in items} for items in (found, recorded))
    if len(found) != len(recorded) or here != there:
        yield f"{name}: only found {sorted(here - there)[:3]}, only recorded {sorted(there - here)[:3]}"


def _file_differences(found: Sequence[Mapping[str, Any]], recorded: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Compare file by file; a file without a deletion vector must be recorded without one."""
    expected = sorted(({**file, "path": canonical_path(file["path"])} for file in recorded), key=_file_order)
    for here, there in zip(found, expected, strict=False):
        for name in sorted({*there, "deletionVector"}):
            if here.get(name) != there.get(name):
                yield f"{here['path']}: {name}: found {here.get(name)!r}, recorded {there.get(name)!r}"
