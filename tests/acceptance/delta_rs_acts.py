"""What the real delta-rs does with a table, tried out on copies of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

REFUSALS = (DeltaError, OSError, ValueError, NotImplementedError, pa.ArrowException, RuntimeError)
"""How delta-rs says no; some of its errors are plain ones."""


def acts_of_delta_rs(table: Path, spare: Path) -> Mapping[str, bool]:
    """Whether it opens the table, reads its files' list by Arrow, and appends a row of nulls, each on a copy."""
    acts = {"open": _open, "read": _read, "append": _append}
    return {name: _works(act, table, spare) for name, act in acts.items()}


def _works(act: Callable[[str], None], table: Path, spare: Path) -> bool:
    shutil.copytree(table, spare)
    try:
        act(str(spare))
    except REFUSALS:
        return False
    finally:
        shutil.rmtree(spare)
    return True


def _open(place: str) -> None:
    DeltaTable(place).schema()


def _read(place: str) -> None:
    DeltaTable(place).to_pyarrow_dataset()


def _append(place: str) -> None:
    schema = pa.schema(DeltaTable(place).schema().to_arrow())
    row = pa.table({field.name: pa.nulls(1, field.type) for field in schema}, schema=schema)
    write_deltalake(place, row, mode="append")
