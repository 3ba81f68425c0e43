"""Every command as it is tried on a full disk and without permission: its arguments, and what it must leave behind."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.model.actions import AddFile
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations

TABLE = "t"
NO_CHECK = ("--session", "spark.databricks.delta.retentionDurationCheck.enabled=false")

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "resolve": ("resolve", TABLE),
    "explain": ("explain", TABLE),
    "impact": ("impact", TABLE, "--add-feature", "deletionVectors"),
    "plan": ("plan", TABLE, "--drop-feature", "checkConstraints"),
    "plan --apply": ("plan", TABLE, "--drop-feature", "checkConstraints", "--apply", "--yes"),
    "history": ("history", TABLE),
    "audit": ("audit", "."),
    "audit to files": ("audit", ".", "--json", "out/audit.json", "--html", "out/audit.html"),
    "audit to a table": ("audit", TABLE, "--table", "out/audited"),
    "check": ("check", "changes.sql", "--table", f"t={TABLE}"),
    "check to files": (
        "check",
        "changes.sql",
        "--table",
        f"t={TABLE}",
        "--format",
        "json",
        "--output",
        "out/found.json",
    ),
    "check a baseline": ("check", "changes.sql", "--table", f"t={TABLE}", "--write-baseline", "out/baseline.json"),
    "verify": ("verify", TABLE),
    "clients": ("clients", "trino@468"),
    "probe": ("probe", "no-such-client@1"),
    "features": ("features",),
    "alter": ("alter", TABLE, "--set", "delta.enableChangeDataFeed=true"),
    "sql": ("sql", TABLE, "ALTER TABLE t ADD COLUMN more STRING"),
    "drop-feature": ("drop-feature", TABLE, "checkConstraints"),
    "restore": ("restore", TABLE, "--version", "1"),
    "vacuum": ("vacuum", TABLE, "--retain", "0", *NO_CHECK),
    "ui": ("ui", "nowhere"),
    "conformance": ("conformance", "resolver", "no-such-file.jsonl"),
    "plugins": ("plugins",),
    "new-feature": ("new-feature", "ownFeature", "--no-ask", "--directory", "out/own"),
}

MOVES = frozenset({"plan --apply", "alter", "sql", "drop-feature", "restore"})
"""Those whose work is a new version of the table."""
EXPECTED = {"probe": 2, "ui": 2, "conformance": 2}
"""Exit codes without any fault, where they are not 0."""


@attrs.frozen
class State:
    """What a table holds that may not be lost."""

    version: int
    commits: Mapping[str, bytes]
    data: Mapping[str, bytes]

    @classmethod
    def of(cls, table: Path) -> State:
        """Read it, as a stranger would."""
        named = {
            add.path for version in range(Table(table).update().table_version + 1)
            for add in Table(table).snapshot(version).add_actions()
        }  # fmt: skip
        commits = {file.name: file.read_bytes() for file in (table / "_delta_log").glob("*.json")}
        return cls(Table(table).update().table_version, commits, {name: (table / name).read_bytes() for name in named})

    def lost_in(self, later: State) -> list[str]:
        """Commits and named files that are gone or changed."""
        pairs = ((self.commits, later.commits), (self.data, later.data))
        return [name for mine, found in pairs for name in mine if found.get(name) != mine[name]]


def prepare(folder: Path) -> None:
    """A table of nine versions, so that the next commit writes a checkpoint too, with files that nobody names."""
    path = folder / TABLE
    table = Table.create(path, "id BIGINT")
    for number in range(6):
        name = f"part-{number}.parquet"
        pq.write_table(pa.table({"id": pa.array([number])}), path / name)
        add = AddFile(name, {}, (path / name).stat().st_size, 0, data_change=True, stats='{"numRecords":1}')
        table.start_transaction().commit([add], operations.write())
    table.alter({"delta.feature.checkConstraints": "supported"})
    table.alter({"a": "b"})
    for number in range(5):
        (path / f"orphan-{number}.parquet").write_bytes(b"orphan")
    old = time.time() - 86_400 * 30
    for file in path.glob("*.parquet"):
        os.utime(file, (old, old))
    (folder / "changes.sql").write_text("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');\n")
    (folder / "out").mkdir()


def staging_files(folder: Path) -> list[str]:
    """Unfinished files that nobody will finish."""
    return [str(file.relative_to(folder)) for file in folder.rglob("*") if ".staging" in file.name]
