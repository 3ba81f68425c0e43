"""The installed deltalake writes tables of the interop matrix, and reads those that others wrote.

    python -m tests.peers.deltalake_interop write|read FOLDER

Prints one JSON object: per table its rows as text, or the class and message of what was raised. Run it as a process
of its own: the runtime inside deltalake may end the interpreter when it stops.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, Field, QueryBuilder, Schema, write_deltalake
from deltalake.schema import PrimitiveType

PLAIN = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "v": ["a", "b", None]})
SPACED = PLAIN.rename_columns(["id", "v w"])
TEXTS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "v": ["a b/%=:?", "é", None]})
MOMENTS = pa.table({"id": [1], "n": pa.array([datetime(2024, 3, 31, 2, 30, 0, 123456)], pa.timestamp("us"))})
IDENTITY = {"delta.identity.start": 1, "delta.identity.step": 1, "delta.identity.allowExplicitInsert": False}


def by_property(name: str, value: str = "true", rows: pa.Table = PLAIN) -> Callable[[str], object]:
    """A table with one property."""
    return lambda path: write_deltalake(path, rows, configuration={name: value})


def by_column(metadata: dict[str, Any]) -> Callable[[str], object]:
    """A table with a third column, which the writer is to fill."""

    def write(path: str) -> None:
        fields = [Field(name, PrimitiveType(kind)) for name, kind in (("id", "long"), ("v", "string"))]
        third = Field("g", PrimitiveType("long"), nullable=True, metadata=metadata)
        DeltaTable.create(path, Schema([*fields, third]))
        write_deltalake(path, PLAIN, mode="append", schema_mode="merge")

    return write


def then_delete(write: Callable[[str], object]) -> Callable[[str], object]:
    """The same, and one row deleted."""

    def act(path: str) -> None:
        write(path)
        DeltaTable(path).delete("id = 2")

    return act


def with_checkpoint(path: str) -> None:
    """A checkpoint of the format that the table's policy asks for."""
    by_property("delta.checkpointPolicy", "v2")(path)
    DeltaTable(path).create_checkpoint()


WRITERS: dict[str, Callable[[str], object]] = {
    "plain": lambda path: write_deltalake(path, PLAIN),
    "partitioned": lambda path: write_deltalake(path, TEXTS, partition_by=["v"]),
    "column mapping by name": by_property("delta.columnMapping.mode", "name", SPACED),
    "column mapping by id": by_property("delta.columnMapping.mode", "id", SPACED),
    "deletion vectors": then_delete(by_property("delta.enableDeletionVectors")),
    "change data feed": then_delete(by_property("delta.enableChangeDataFeed")),
    "timestamp_ntz": lambda path: write_deltalake(path, MOMENTS),
    "generated column": by_column({"delta.generationExpression": "id * 2"}),
    "identity column": by_column(IDENTITY),
    "column default": by_column({"CURRENT_DEFAULT": "7"}),
    "type widening": by_property("delta.enableTypeWidening"),
    "V2 checkpoint": with_checkpoint,
    "row tracking": by_property("delta.enableRowTracking"),
    "in-commit timestamps": by_property("delta.enableInCommitTimestamps"),
}


def rows_of(path: str, *, changes: bool) -> list[list[str]]:
    """Rows as text, sorted; those of the change data feed with the kind of change last."""
    table = DeltaTable(path)
    if changes:
        found = pa.table(table.load_cdf(starting_version=0))
        data = [name for name in found.column_names if not name.startswith("_")]
        found = found.select([*data, "_change_type"])
    else:
        found = pa.table(QueryBuilder().register("t", table).execute("SELECT * FROM t").read_all())
    return sorted([str(value) for value in row.values()] for row in found.to_pylist())


def attempt(act: Callable[..., Any], path: Path, **choices: bool) -> dict[str, Any]:
    """What comes of an act on a table."""
    try:
        return {"rows": act(str(path), **choices)}
    except BaseException as error:  # noqa: BLE001 - pyo3's panics are no Exceptions
        return {"error": type(error).__name__, "message": str(error)[:300]}


def done(path: str) -> bool:
    """Writes the table that the path's last part names."""
    WRITERS[Path(path).name](path)
    return True


def written(folder: Path) -> dict[str, Any]:
    """Writes every table that there is a way for."""
    return {name: attempt(done, folder / name) for name in WRITERS}


def read(folder: Path) -> dict[str, Any]:
    """Reads every table in every writer's folder."""
    return {
        f"{path.parent.name}/{path.name}": attempt(rows_of, path, changes=path.name == "change data feed")
        for path in sorted(folder.glob("*/*"))
    }


if __name__ == "__main__":
    print(json.dumps({"write": written, "read": read}[sys.argv[1]](Path(sys.argv[2]))), flush=True)
    os._exit(0)
