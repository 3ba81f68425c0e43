"""Whatever of a table is gone, cut or changed is found; a sound table is sound."""

from __future__ import annotations

import json
import shutil
import uuid
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltaresolver.audit.verify.problem import ADVICE, ProblemKind
from deltaresolver.audit.verify.verify_table import verify_table
from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import StorageUnsupportedError, TableNotFoundError
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.deletion_vector_encoding import vector_file
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.model.actions import AddFile, RemoveFile
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from tests.unit.cli.running import run

V2 = {"delta.checkpointPolicy": "v2", "delta.feature.v2Checkpoint": "supported"}


def add_of(folder: Path, name: str, rows: int, **more: object) -> AddFile:
    file = folder / name
    if not file.exists():
        pq.write_table(pa.table({"id": list(range(rows))}), file, write_page_checksum=True, compression="none")
    stats = json.dumps({"numRecords": rows, "tightBounds": "deletion_vector" not in more})
    logged = name.replace(" ", "%20")
    return AddFile(logged, {}, file.stat().st_size, 1, data_change=True, stats=stats, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["classic", "v2"])
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of seven files, one of them with a deletion vector, a checkpoint and commits after it."""
    folder = tmp_path_factory.mktemp("verify") / "t"
    properties = {"delta.enableDeletionVectors": "true", **(V2 if request.param == "v2" else {})}
    table = Table.create(folder, "id BIGINT", properties=properties)
    for number in range(6):
        file = add_of(folder, f"file {number}.parquet", 500)
        table.start_transaction().commit([file], operations.write("Append"))
        if number == 3:
            write_checkpoint(DeltaLog(LocalStore(folder)).snapshot(), LocalStore(folder), built_in_catalog())
    made = vector_file([np.array([1, 7, 499])], uuid.uuid4())
    (folder / made.path).write_bytes(made.data)
    gone = RemoveFile("file%205.parquet", 1, data_change=True)
    marked = add_of(folder, "file 5.parquet", 500, deletion_vector=made.vectors[0])
    transaction = table.start_transaction()
    transaction.filter_files()
    transaction.commit([gone, marked], operations.with_predicate("DELETE"))
    return folder


@pytest.fixture
def table(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "t"))


def files_of(folder: Path) -> list[str]:
    found = [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()]
    return sorted(name for name in found if not name.endswith((".crc", "_last_checkpoint")))


@pytest.mark.parametrize("pages", [False, True])
def test_a_sound_table_is_sound(sound: Path, pages: bool) -> None:
    found = verify_table(sound, pages=pages)
    assert found.problems == ()
    assert (found.files, found.vectors, found.checkpoints) == (6, 1, 1)
    assert found.bytes_stated == sum(file.stat().st_size for file in sound.glob("*.parquet"))


def test_every_missing_file_is_found(table: Path) -> None:
    # Without its first commit, its last one or the checkpoint the log is that of a table all the same.
    dispensable = {f"_delta_log/{version:020}.json" for version in (0, 7)}
    for name in files_of(table):
        data = (table / name).read_bytes()
        (table / name).unlink()
        is_missed = not verify_table(table).is_sound
        assert is_missed or name in dispensable or ".checkpoint." in name, name
        (table / name).write_bytes(data)


def test_every_truncated_file_is_found(table: Path) -> None:
    for name in files_of(table):
        data = (table / name).read_bytes()
        (table / name).write_bytes(data[: len(data) // 2])
        assert not verify_table(table).is_sound, name
        (table / name).write_bytes(data)
    assert verify_table(table).is_sound


def test_a_flipped_bit_in_a_page_is_found_by_its_checksum(table: Path) -> None:
    file = table / "file 0.parquet"
    data = bytearray(file.read_bytes())
    data[400] ^= 4
    file.write_bytes(bytes(data))
    assert verify_table(table).is_sound
    (problem,) = verify_table(table, pages=True).problems
    assert (problem.kind, problem.path) == (ProblemKind.FILE_DAMAGED, "file%200.parquet")


def test_a_flipped_bit_in_a_deletion_vector_is_found(table: Path) -> None:
    (file,) = table.glob("*.bin")
    data = bytearray(file.read_bytes())
    data[-8] ^= 1
    file.write_bytes(bytes(data))
    (problem,) = verify_table(table).problems
    assert problem.kind is ProblemKind.VECTOR_DAMAGED


def test_another_file_in_place_of_one_is_found(table: Path) -> None:
    pq.write_table(pa.table({"id": list(range(499))}), table / "file 1.parquet")
    kinds = {problem.kind for problem in verify_table(table).problems}
    assert kinds == {ProblemKind.FILE_SIZE, ProblemKind.ROW_COUNT}


def test_a_vector_beyond_the_files_rows_is_found(table: Path) -> None:
    pq.write_table(pa.table({"id": list(range(400))}), table / "file 5.parquet")
    assert ProblemKind.VECTOR_DAMAGED in {problem.kind for problem in verify_table(table).problems}


def test_a_checkpoint_that_contradicts_the_commits_is_found(table: Path) -> None:
    commit = table / "_delta_log" / f"{2:020}.json"
    commit.write_text(commit.read_text().replace("file%201", "file%209"))
    kinds = [problem.kind for problem in verify_table(table).problems]
    assert kinds.count(ProblemKind.CHECKPOINT_DIFFERS) == 2


def test_a_file_elsewhere_is_not_asked_for(table: Path) -> None:
    elsewhere = AddFile("s3://evil-bucket/x.parquet", {}, 1, 1, data_change=True)
    Table(table).start_transaction().commit([elsewhere], operations.write("Append"))
    (problem,) = verify_table(table).problems
    assert problem.kind is ProblemKind.OUTSIDE


def test_every_kind_has_advice() -> None:
    assert ADVICE.keys() == set(ProblemKind)


def test_no_table_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TableNotFoundError):
        verify_table(tmp_path)


def test_the_command_ends_with_1_where_something_is_wrong(table: Path) -> None:
    assert run("verify", str(table)).code == 0
    (table / "file 0.parquet").unlink()
    outcome = run("verify", str(table), "--json")
    assert outcome.code == 1
    assert [problem["kind"] for problem in outcome.data["problems"]] == ["file-missing"]
    assert "Restore the file" in run("verify", str(table)).out
    assert run("verify", str(table / "nothing")).code == 2


def test_a_type_that_pyarrow_does_not_know_is_not_damage(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_new(*_: object, **__: object) -> None:
        raise OSError("Logical type Undefined cannot be applied to group node")

    monkeypatch.setattr("deltaresolver.audit.verify.data_files.pq.ParquetFile", too_new)
    with pytest.raises(StorageUnsupportedError, match="pyarrow"):
        verify_table(table)
