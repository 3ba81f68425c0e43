"""What the installed deltalake does with tables: open, read by both engines, append.

    python -m tests.peers.deltalake_acts FOLDER

Prints one JSON object: per table and act `ok`, `refused` or `wrong`, plus the version used. Run it as a process of
its own: the runtime inside deltalake may end the interpreter when it stops. The tables are not changed.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import deltalake
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

EXPECTED = sorted((number, f"s{number}") for number in range(10))
NEW_ROW = {"id": 10, "s": "s10", "n": 7, "p": 1, "c": 5, "g": 11, "k": 99, "t": datetime(2026, 1, 1, tzinfo=UTC)}


def attempt(act: Callable[[], bool]) -> str:
    """`ok` or `wrong` by what the act says of its result, `refused` when it raises."""
    try:
        return "ok" if act() else "wrong"
    except BaseException:  # noqa: BLE001 - pyo3's panics are no Exceptions
        return "refused"


def is_right(rows: pa.Table) -> bool:
    """Whether these are the ten rows each table was made with."""
    pairs = zip(rows["id"].to_pylist(), rows["s"].to_pylist(), strict=True)
    return sorted(pairs, key=str) == sorted(EXPECTED, key=str)


def read_by_query(path: str) -> bool:
    """By the engine inside deltalake."""
    query = QueryBuilder().register("t", DeltaTable(path)).execute("SELECT * FROM t")
    return is_right(pa.table(query.read_all()))


def read_by_pyarrow(path: str) -> bool:
    """By PyArrow, from the files deltalake names."""
    return is_right(DeltaTable(path).to_pyarrow_table())


def append(path: str) -> bool:
    """One row; only whether it is accepted."""
    schema = pa.schema(DeltaTable(path).schema().to_arrow())
    columns = {field.name: pa.array([NEW_ROW.get(field.name)], type=field.type) for field in schema}
    write_deltalake(path, pa.table(columns), mode="append")
    return True


def acts_on(table: Path) -> dict[str, str]:
    """All acts on copies of one table."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "t")
        shutil.copytree(table, path)
        return {
            "open": attempt(lambda: DeltaTable(path) is not None),
            "native read": attempt(lambda: read_by_query(path)),
            "pyarrow read": attempt(lambda: read_by_pyarrow(path)),
            "native append": attempt(lambda: append(path)),
        }


if __name__ == "__main__":
    found = {table.name: acts_on(table) for table in sorted(Path(sys.argv[1]).iterdir())}
    print(json.dumps({"version": deltalake.__version__, "tables": found}), flush=True)
    os._exit(0)
