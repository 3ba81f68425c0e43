"""A checkpoint whose footer has two schemas: what is remembered of it must not be taken for another table's."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.columnar.schemas import known_schemas
from deltaresolver.log.columnar.schemas.parquet_footer import footer_start, schema_end
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from tests import nasty
from tests.logs import add
from tests.security.tables import commit, log_of

AGAIN = {
    "field 2, spelt out": b"\x09\x04",
    "field 1 again, then field 2": b"\x05\x02\x04\x19",
    "field 2, spelt longer than it need be": b"\x09\x84\x00",
}
"""How Thrift may go back to the field that holds the schema."""
PATHS = sorted(f"{number}-{name}" for number, name in enumerate(nasty.HIDDEN_FILE_NAMES))


def two_schemas(shown: bytes, meant: bytes, again: bytes) -> bytes:
    """The file `meant`, whose footer begins as that of `shown` does."""
    shown_at, meant_at = footer_start(shown), footer_start(meant)
    assert shown_at is not None
    assert meant_at is not None
    shown_end, meant_end = schema_end(shown, shown_at), schema_end(meant, meant_at)
    # The version is two bytes, and the third one says that the schema follows.
    assert meant[meant_at] == 0x15
    assert meant[meant_at + 2] == 0x19
    footer = shown[shown_at:shown_end] + again + meant[meant_at + 3 : meant_end] + meant[meant_end:-8]
    return meant[:meant_at] + footer + struct.pack("<I", len(footer)) + b"PAR1"


def checkpointed(folder: Path) -> Path:
    commit(log_of(folder), 1, *map(add, PATHS))
    store = LocalStore(folder)
    (written,) = write_checkpoint(DeltaLog(store).snapshot(), store, built_in_catalog()).paths
    for number in range(2):
        (folder / "_delta_log" / f"{number:020d}.json").unlink()
    return folder / written


def paths_in(folder: Path) -> list[str]:
    return sorted(action.path for action in DeltaLog(LocalStore(folder)).snapshot().add_actions())


@pytest.fixture(autouse=True)
def _nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_schemas, "_known", {})
    monkeypatch.setattr(known_schemas, "_lengths", set())


@pytest.mark.parametrize("again", AGAIN)
def test_no_table_is_read_by_the_schema_of_another(tmp_path: Path, again: str) -> None:
    honest, hostile = checkpointed(tmp_path / "honest"), checkpointed(tmp_path / "hostile")
    rows = pq.read_table(hostile)
    turned, sink = rows.select(rows.column_names[::-1]), io.BytesIO()
    pq.write_table(turned, sink, store_schema=False)
    file = two_schemas(honest.read_bytes(), sink.getvalue(), AGAIN[again])
    assert pq.ParquetFile(pa.BufferReader(file)).schema_arrow.names == turned.column_names, "pyarrow goes by the second"
    hostile.write_bytes(file)
    assert paths_in(tmp_path / "hostile") == PATHS
    assert paths_in(tmp_path / "honest") == PATHS


@pytest.mark.parametrize("again", AGAIN)
def test_nor_is_a_file_with_two_schemas_read_by_that_of_the_others(tmp_path: Path, again: str) -> None:
    honest, hostile = checkpointed(tmp_path / "honest"), checkpointed(tmp_path / "hostile")
    turned, sink = pq.read_table(hostile), io.BytesIO()
    pq.write_table(turned.select(turned.column_names[::-1]), sink, store_schema=False)
    hostile.write_bytes(two_schemas(honest.read_bytes(), sink.getvalue(), AGAIN[again]))
    assert paths_in(tmp_path / "honest") == PATHS
    assert paths_in(tmp_path / "hostile") == PATHS
