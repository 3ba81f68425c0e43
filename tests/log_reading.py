"""A small, slow, obvious reader of a Delta log, for tests that need the facts of a real table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import attrs
import pyarrow.parquet

from deltaresolver.clients.table_facts import CheckpointForm, TableFacts
from deltaresolver.model import Metadata, Protocol

Action = tuple[str, dict[str, Any]]


def read_table(table: Path) -> tuple[Protocol, Metadata, TableFacts]:
    """Protocol, metadata and facts of the newest version of a table in a local folder."""
    log = table / "_delta_log"
    names = sorted(path.name for path in log.iterdir() if path.suffix in (".json", ".parquet") and path.name[0] != "_")
    checkpoints = [name for name in names if ".checkpoint." in name]
    commits = [name for name in names if name.count(".") == 1 and name.endswith(".json")]
    actions = [action for name in checkpoints + commits for action in _actions(log / name)]
    facts = TableFacts(
        deletion_vectors=any(kind == "add" and action.get("deletionVector") for kind, action in actions),
        change_files=any(kind == "cdc" for kind, _ in actions),
        checkpoint=_kind(checkpoints[-1]) if checkpoints else CheckpointForm.NONE,
        commits_cleaned=int(commits[0][:20]) > 0,
        domains=frozenset(action["domain"] for kind, action in actions if kind == "domainMetadata"),
    )
    newest = dict(actions)
    partitioned_by = set(newest["metaData"].get("partitionColumns") or ())
    paths = [table / unquote(action["path"]) for kind, action in actions if kind == "add"]
    held = {name for path in paths[:1] for name in pyarrow.parquet.read_schema(path).names}
    facts = attrs.evolve(facts, partition_columns=bool(partitioned_by & held))
    return Protocol.from_json(newest["protocol"]), Metadata.from_json(newest["metaData"]), facts


def _kind(name: str) -> CheckpointForm:
    if name.count(".") == 2:
        return CheckpointForm.CLASSIC
    return CheckpointForm.V2_JSON if name.endswith(".json") else CheckpointForm.V2_PARQUET


def _actions(path: Path) -> Iterator[Action]:
    if path.suffix == ".parquet":
        rows = pyarrow.parquet.read_table(path).to_pylist()
    else:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        for kind, action in row.items():
            if action is not None:
                yield kind, {key: _mapping(value) for key, value in action.items()}


def _mapping(value: Any) -> Any:
    """Arrow gives a map as a list of pairs."""
    if isinstance(value, list) and value and all(isinstance(item, tuple) for item in value):
        return dict(value)
    if isinstance(value, dict):
        return {key: _mapping(item) for key, item in value.items()}
    return value
