"""A dynamic overwrite by the data source finds the partitions that get rows, however others spell their values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.differential.program import Column, Rows
from tests.differential.worker_source import WorkerSource
from tests.nasty import SAME_VALUES

pytest.importorskip("pyspark")

VALUES: dict[str, Any] = {
    "TIMESTAMP": "2024-01-01 00:00:00",
    "TIMESTAMP_NTZ": "2024-01-01 00:00:00",
    "DATE": "2024-01-02",
    "BOOLEAN": True,
    "INT": 5,
    "BIGINT": 5,
    "FLOAT": "0.1",
    "DECIMAL(10,2)": "1.5",
    "STRING": None,
}


def respelt(path: Path, old: str, new: str | None) -> None:
    """The only file's partition value, as another writer might have put it into the log."""
    log = path / "_delta_log" / f"{0:020}.json"
    text, wanted = log.read_text(), "null" if new is None else f'"{new}"'
    assert f'"p":"{old}"' in text or f'"p":{wanted}' in text
    log.write_text(text.replace(f'"p":"{old}"', f'"p":{wanted}'))
    for checksum in log.parent.glob("*.crc"):
        checksum.unlink()


@pytest.mark.parametrize(("kind", "one", "other"), SAME_VALUES)
def test_a_partition_is_replaced_however_its_value_is_spelt(
    tmp_path: Path, kind: str, one: str, other: str | None
) -> None:
    path, columns = tmp_path / "t", (Column("id", "INT"), Column("p", kind))
    source = WorkerSource(str(path), "UTC")
    value = one if kind == "DOUBLE" else VALUES[kind]
    source.write(Rows(columns, ((1, value),)), {"saveMode": "error", "partitionBy": "p"}, overwrite=False)
    respelt(path, one, other)
    before = source.read(columns)
    source.write(Rows(columns, ((2, value),)), {"partitionOverwriteMode": "dynamic"}, overwrite=True)
    assert [row[0] for row in before] == [1]
    assert [row[0] for row in source.read(columns).elements()] == [2]
