"""Commands without Spark that `tests.killed_upkeep` kills, on disk and on an S3 server, and what may come of each."""

from __future__ import annotations

import io
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.audit.scan.runners import InProcess
from deltaresolver.cli.main import run as run_command
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.storage.locations import open_store
from deltaresolver.model.actions import AddFile
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations

CHECK = {"spark.databricks.delta.retentionDurationCheck.enabled": "false"}
TABLE, CLONE, MANIFESTS = "t", "clone", "_symlink_format_manifest"
FEATURE, OWN_PROPERTY = "checkConstraints", "killed.again"
APPENDS, FIRST_APPENDED = 20, 100_000
Versions = Mapping[int, list[int]]


@attrs.frozen
class Place:
    """Where a command works: a folder or a prefix of a bucket, and a folder on disk for what it notes."""

    root: str
    notes: Path
    options: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def location(self) -> str:
        """The table."""
        return f"{self.root}/{TABLE}"

    @property
    def table(self) -> Table:
        """The table, opened."""
        return Table(self.location, self.options, session=CHECK)

    @property
    def acknowledged(self) -> list[str]:
        """The files whose commits were acknowledged."""
        told = self.notes / "acknowledged"
        return told.read_text(encoding="utf-8").split() if told.exists() else []


@attrs.frozen
class Command:
    """What to do at a place, and whether it is done there, judged by a copy of it on disk.

    adds_rows_of   the version whose rows a new version may have, beside those of the newest
    may_append     the rows of `APPENDS` may come, each once
    """

    act: Callable[[Place], object]
    is_done: Callable[[Path, Place], bool]
    adds_rows_of: int | None = None
    may_append: bool = False
    on_s3: bool = False


def _append(place: Place) -> None:
    table, store = place.table, open_store(place.location, place.options)
    there = {add.path for add in table.update().add_actions()}
    for number in range(APPENDS):
        name = f"appended-{number}.parquet"
        if name in there:
            continue
        sink = io.BytesIO()
        pq.write_table(pa.table({"id": pa.array([FIRST_APPENDED + number])}), sink)
        store.put(name, sink.getvalue())
        add = AddFile(name, {}, sink.tell(), 0, data_change=True, stats='{"numRecords":1}')
        table.start_transaction().commit([add], operations.write())
        with (place.notes / "acknowledged").open("a", encoding="utf-8") as notes:
            notes.write(f"{name}\n")


def _checkpoint(place: Place) -> None:
    table = place.table
    write_checkpoint(table.update(), open_store(place.location, place.options), table.catalog)


def _audit(place: Place) -> None:
    request = AuditRequest(roots=(place.root,), storage=tuple(place.options.items()), deep=True)
    audit_lake(request, InProcess(), place.notes / "work", place.notes / "audit.json")


def _apply_plan(place: Place) -> None:
    storage = [part for pair in place.options.items() for part in ("--storage", "=".join(pair))]
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - of a fork
    run_command(["plan", place.location, "--drop-feature", FEATURE, "--apply", "--config", "none", *storage])


def _apply_plan_here(place: Place) -> None:
    streams = sys.stdout, sys.stderr
    try:
        _apply_plan(place)
    finally:
        sys.stdout, sys.stderr = streams


def _drop(place: Place) -> None:
    if _has_feature(place.table):
        place.table.drop_feature(FEATURE)


def _has_feature(table: Table) -> bool:
    return FEATURE in (table.update().protocol.writer_features or ())


def _without_feature(folder: Path, _: Place) -> bool:
    return not _has_feature(Table(folder / TABLE))


def _has_checkpoint(folder: Path, _: Place) -> bool:
    hint = folder / TABLE / "_delta_log" / "_last_checkpoint"
    return hint.exists() and json.loads(hint.read_text())["version"] == Table(folder / TABLE).update().table_version


def _is_audited(_: Path, place: Place) -> bool:
    document = place.notes / "audit.json"
    return document.exists() and [one.error for one in StoredAudit(document).tables()] == [None]


def _all_appended(folder: Path, _: Place) -> bool:
    live = Counter(add.path for add in Table(folder / TABLE).update().add_actions())
    return all(live[f"appended-{number}.parquet"] == 1 for number in range(APPENDS))


WRITING: Mapping[str, Command] = {
    "commit": Command(_append, _all_appended, may_append=True, on_s3=True),
    "checkpoint": Command(_checkpoint, _has_checkpoint, on_s3=True),
    "alter": Command(
        lambda place: place.table.alter({OWN_PROPERTY: "1", "delta.enableChangeDataFeed": "true"}),
        lambda folder, _: OWN_PROPERTY in Table(folder / TABLE).update().metadata.configuration,
        on_s3=True,
    ),
    "drop-feature": Command(_drop, _without_feature, on_s3=True),
    "plan --apply": Command(_apply_plan_here, _without_feature, on_s3=True),
    "audit": Command(_audit, _is_audited, on_s3=True),
}


def appended_only(found: list[int], newest: list[int], acknowledged: int) -> bool:
    """Whether these are the newest rows and some of those to append, each once, at least as many as acknowledged."""
    more = Counter(found) - Counter(newest)
    possible = {FIRST_APPENDED + number: 1 for number in range(APPENDS)}
    return not Counter(newest) - Counter(found) and more <= Counter(possible) and more.total() >= acknowledged
