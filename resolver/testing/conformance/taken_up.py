"""Set tables to a recorded state, after a statement that cannot be carried out here.

The log gets commits of the recorded versions with the recorded operations, and the protocol, columns, properties and
domains of the recorded state. File names are made up: the recording only has the numbers of files added and removed.
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.actions import AddFile, write_action
from deltaresolver.model.facts.keys import DELETION_VECTORS, IN_COMMIT_TIMESTAMPS, PHYSICAL_NAME
from deltaresolver.table import Table
from deltaresolver.transaction.commit.removed_files import removal

_INLINE_VECTOR = {
    "storageType": "i",
    "pathOrInlineDv": "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
    "sizeInBytes": 40,
    "cardinality": 6,
}
"""Any deletion vector; its data file is never opened."""


def take_up(location: Path, state: Mapping[str, Any] | None, table: Table) -> bool:
    """Set the table at `location` to the recorded state; False where the record does not have enough facts."""
    if state is None:
        shutil.rmtree(location, ignore_errors=True)
        return True
    if "unreadable" in state or "schema" not in state:
        return False
    commits = [commit for commit in state["commits"] if not commit.get("missing")]
    for commit in commits:
        if "operation" not in commit or "actions" not in commit:
            return False
    log = location / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    there, table_id = _files(table), _table_id(table)
    for commit in commits:
        lines = [line for kind in commit["actions"] for line in _line(kind, commit, state, there, table_id)]
        lines += [{"domainMetadata": domain} for domain in commit.get("domainMetadata", ())]
        file = log / f"{commit['version']:020}.json"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return True


def _line(
    kind: str, commit: Mapping[str, Any], state: Mapping[str, Any], there: list[AddFile], table_id: str
) -> Iterator[Any]:
    """The actions of one kind in a commit; the record does not say which file was removed, only that one was."""
    partitions = _partition_values(state)
    if kind == "commitInfo":
        yield {kind: _info(commit, state)}
    elif kind == "protocol":
        yield {kind: state["protocol"]}
    elif kind == "metaData":
        yield {kind: _metadata(state, table_id)}
    elif kind == "add":
        yield {kind: _added(commit, state)}
    elif kind == "remove":
        if there:
            yield write_action(removal(there.pop(0), 1))
        else:
            path = f"part-{uuid.uuid4()}.parquet"
            yield {kind: {"path": path, "dataChange": True, "deletionTimestamp": 1, "partitionValues": partitions}}
    elif kind == "cdc":
        path = f"_change_data/cdc-{uuid.uuid4()}.parquet"
        yield {kind: {"path": path, "partitionValues": partitions, "size": 100, "dataChange": False}}
    elif kind == "txn":
        yield {kind: {"appId": str(uuid.uuid4()), "version": 0}}


def _info(commit: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    info = {
        "timestamp": 1_700_000_000_000 + commit["version"],
        "operation": commit["operation"],
        "operationParameters": commit.get("operationParameters") or {},
        "isBlindAppend": commit.get("isBlindAppend"),
        "isolationLevel": commit.get("isolationLevel"),
        "operationMetrics": {},
        "txnId": str(uuid.uuid4()),
    }
    if state["properties"].get(IN_COMMIT_TIMESTAMPS, "").lower() == "true":
        info = {"inCommitTimestamp": info["timestamp"]} | info
    return info | ({"tags": commit["tags"]} if commit.get("tags") else {})


def _added(commit: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    add: dict[str, Any] = {
        "path": f"part-{uuid.uuid4()}.parquet",
        "partitionValues": _partition_values(state),
        "size": 100,
        "modificationTime": 1,
        "dataChange": True,
        "stats": '{"numRecords":10,"tightBounds":true}',
    }
    changes_rows = {"add", "remove"} <= set(commit["actions"]) and commit["operation"] in ("DELETE", "UPDATE", "MERGE")
    if changes_rows and state["properties"].get(DELETION_VECTORS, "").lower() == "true":
        add |= {"deletionVector": _INLINE_VECTOR, "stats": '{"numRecords":10,"tightBounds":false}'}
    if "rowTracking" in state["protocol"].get("writerFeatures", ()):
        add |= {"baseRowId": 0, "defaultRowCommitVersion": commit["version"]}
    return add


def _metadata(state: Mapping[str, Any], table_id: str) -> dict[str, Any]:
    return {
        "id": table_id,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(state["schema"]),
        "partitionColumns": state.get("partitionColumns") or [],
        "configuration": state["properties"],
    }


def _table_id(table: Table) -> str:
    try:
        return str(table.metadata.id)
    except DeltaResolverError:
        return str(uuid.uuid4())


def _partition_values(state: Mapping[str, Any]) -> dict[str, None]:
    names = {field["name"]: field for field in state["schema"]["fields"]}
    columns = [names[name] for name in state.get("partitionColumns") or ()]
    return {field["metadata"].get(PHYSICAL_NAME, field["name"]): None for field in columns}


def _files(table: Table) -> list[AddFile]:
    try:
        return list(table.snapshot().add_actions())
    except DeltaResolverError:
        return []
