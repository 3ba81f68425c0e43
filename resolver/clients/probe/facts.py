"""The demands of a local copy of a table, with all facts that its log and one of its files show."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import pyarrow.parquet as pq

from deltaresolver.clients.table_facts import CheckpointForm, TableFacts
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.log.snapshot import Snapshot

UUID_LENGTH = 36


def needs_of_copy(snapshot: Snapshot, table: Path) -> TableNeeds:
    """The needs of the latest version. Raises `LogError`."""
    files = list(snapshot.add_actions())
    names = sorted(path.name for path in (table / "_delta_log").iterdir() if not path.name.startswith((".", "_")))
    checkpoints = [name for name in names if ".checkpoint." in name and name.endswith((".parquet", ".json"))]
    commits = [name for name in names if name.count(".") == 1 and name.endswith(".json")]
    partitioned = set(snapshot.metadata.partition_columns)
    held = set(pq.read_schema(table / unquote(files[0].path)).names) if files and partitioned else set()
    facts = TableFacts(
        deletion_vectors=any(file.deletion_vector is not None for file in files),
        change_files=any(_names_change_file(table / "_delta_log" / name) for name in commits),
        checkpoint=_kind(checkpoints[-1]) if checkpoints else CheckpointForm.NONE,
        commits_cleaned=int(commits[0][:20]) > 0,
        domains=frozenset(name for name, domain in snapshot.domains.items() if not domain.removed),
        partition_columns=bool(partitioned & held),
    )
    return TableNeeds.of(snapshot.protocol, snapshot.metadata, facts)


def _names_change_file(commit: Path) -> bool:
    return any("cdc" in json.loads(line) for line in commit.read_text(encoding="utf-8").splitlines() if line.strip())


def _kind(name: str) -> CheckpointForm:
    """The form of a checkpoint, by its name: a V2 checkpoint has a UUID in it."""
    if name.count(".") == 2 or len(name.split(".")[2]) != UUID_LENGTH:
        return CheckpointForm.CLASSIC
    return CheckpointForm.V2_JSON if name.endswith(".json") else CheckpointForm.V2_PARQUET
