"""Who reads whose tables: every table of `interop_features` by three writers, read by the same three.

    python -m tests.acceptance.interop_matrix       rewrites docs/interop.md from a run

A cell is `equal`, maybe with a remark, `refused (code)`, `not expressible (why)`, or `WRONG` with what was given.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import deltaresolver.spark as ds
from deltaresolver.errors import DeltaResolverError
from deltaresolver.table import Table
from tests.acceptance.interop_features import FEATURES, Feature, Rows, write_by_delta_spark, write_ours
from tests.peers.delta_spark import DeltaSpark, start_delta_spark

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "interop.md"
OURS, SPARK, RUST = "deltaresolver", "delta-spark", "delta-rs"
CLIENTS = (OURS, SPARK, RUST)
EQUAL, ROWS_ONLY, UNDECODED = "equal", "equal (no row ids)", "equal (undecoded)"

Cells = Mapping[tuple[str, str, str], str]
"""By feature, writer and reader."""

INTRODUCTION = """\
# Who reads whose tables

Each table is written by one library and read by all three, deltaresolver by `deltaresolver.spark` on PySpark without
delta-spark's help, delta-rs by its own query engine. The releases compared are delta-spark 4.4.0 and deltalake 1.6.6.
This page is what `python -m tests.acceptance.interop_matrix` prints, and a test compares it with a run.

- **equal**: the rows are those that were written; for the change data feed, so are the changes.
- **equal (no row ids)**: the rows are equal, and the library has no way to give their ids.
- **equal (undecoded)**: the values are returned as the bytes of the file, since the library does not know their type.
- **refused (code)**: the reader refuses the table with this error.
- **not expressible (why)**: the writer cannot make such a table. It raises the error named, has no API for it, or
  makes a table without the feature.
"""


def run_deltalake(act: str, folder: Path) -> dict[str, dict[str, Any]]:
    """One process of tests.peers.deltalake_interop."""
    command = [sys.executable, "-m", "tests.peers.deltalake_interop", act, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


def code_of(error: BaseException) -> str:
    """The name under which an error can be looked up."""
    if isinstance(error, DeltaResolverError):
        return error.code
    condition: Callable[[], str | None] = getattr(error, "getCondition", lambda: None)
    return condition() or type(error).__name__


def write_all(peer: DeltaSpark, folder: Path) -> dict[tuple[str, str], str]:
    """Writes all tables as folder/WRITER/FEATURE; what cannot be written, and why."""
    failed: dict[tuple[str, str], str] = {}
    for client in CLIENTS:
        (folder / client).mkdir(parents=True)
    by_rust = run_deltalake("write", folder / RUST)
    for name, feature in FEATURES.items():
        for client, write in ((OURS, our_writer(peer)), (SPARK, spark_writer(peer))):
            try:
                write(feature, folder / client / name)
            except Exception as error:  # noqa: BLE001 - what it raises is the answer
                failed[name, client] = code_of(error)
        outcome = by_rust.get(name, {"error": "no API"})
        if "error" in outcome:
            failed[name, RUST] = outcome["error"]
        elif not feature.carried(Table(folder / RUST / name)):
            failed[name, RUST] = "feature left out"
    return failed


def our_writer(peer: DeltaSpark) -> Callable[[Feature, Path], None]:
    """deltaresolver.spark as a writer, in the same session."""
    return lambda feature, path: write_ours(peer.spark, feature, path)


def spark_writer(peer: DeltaSpark) -> Callable[[Feature, Path], None]:
    """delta-spark as a writer."""
    return lambda feature, path: write_by_delta_spark(peer, feature, path)


def read_on_spark(peer: DeltaSpark, client: str, name: str, path: Path) -> list[list[str]]:
    """Rows as text, sorted, by one of the two readers on Spark."""
    changes, tracked = name == "change data feed", name == "row tracking"
    if client == OURS:
        feed = ds.ChangeFeed(starting_version=0) if changes else None
        frame = ds.read(peer.spark, path, change_feed=feed, row_tracking=tracked)
    elif changes:
        reader = peer.spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 0)
        frame = reader.load(str(path))
    else:
        frame = peer.read(path)
        frame = frame.selectExpr("*", "_metadata.row_id AS row_id") if tracked else frame
    return sorted([str(value) for value in row] for row in frame.selectExpr(*FEATURES[name].shown).collect())


def judged(found: Rows, name: str, reader: str) -> str:
    """The cell for rows that a reader gave."""
    wanted = sorted(list(row) for row in FEATURES[name].expected)
    rows = sorted(list(row) for row in found)
    if rows == wanted:
        return EQUAL
    if name == "row tracking" and reader == RUST and rows == [row[:-1] for row in wanted]:
        return ROWS_ONLY
    if rows == [list(row) for row in FEATURES[name].undecoded]:
        return UNDECODED
    return f"WRONG {rows}"


def run_matrix(peer: DeltaSpark, folder: Path) -> Cells:
    """All cells, from tables written into `folder`."""
    failed = write_all(peer, folder)
    by_rust = run_deltalake("read", folder)
    cells: dict[tuple[str, str, str], str] = {}
    for name in FEATURES:
        for writer in CLIENTS:
            for reader in CLIENTS:
                if (name, writer) in failed:
                    cells[name, writer, reader] = f"not expressible ({failed[name, writer]})"
                elif reader == RUST:
                    outcome = by_rust[f"{writer}/{name}"]
                    refused = f"refused ({outcome.get('error')})"
                    cells[name, writer, reader] = judged(outcome["rows"], name, RUST) if "rows" in outcome else refused
                else:
                    cells[name, writer, reader] = read_cell(peer, reader, name, folder / writer / name)
    return cells


def read_cell(peer: DeltaSpark, reader: str, name: str, path: Path) -> str:
    """The cell of a reader on Spark."""
    try:
        found = read_on_spark(peer, reader, name, path)
    except Exception as error:  # noqa: BLE001 - what it raises is the answer
        return f"refused ({code_of(error)})"
    return judged(found, name, reader)


def page(cells: Cells) -> str:
    """The matrix as docs/interop.md."""
    parts = [INTRODUCTION]
    for writer in CLIENTS:
        lines = [f"## Written by {writer}", "", "| table | " + " | ".join(f"read by {each}" for each in CLIENTS) + " |"]
        lines.append("|---" * (len(CLIENTS) + 1) + "|")
        lines += [
            f"| {name} | " + " | ".join(cells[name, writer, reader] for reader in CLIENTS) + " |" for name in FEATURES
        ]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        PAGE.write_text(page(run_matrix(start_delta_spark(), Path(scratch))), encoding="utf-8")
