"""SHALLOW CLONE without an engine: what its first commit holds, and what it must not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deltaresolver as dr
from deltaresolver.errors import CloneTargetError, TableExistsError, TablePropertyRefusedError, VersionNotFoundError
from deltaresolver.model.actions import AddFile, DeletionVector, DomainMetadata
from deltaresolver.model.file_key import canonical_path
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.clone_table import _absolute
from tests.nasty import FOLDER_NAMES
from tests.transactions import add

VECTORS = {"delta.enableDeletionVectors": "true"}


def source(folder: Path, **properties: str) -> dr.Table:
    table = dr.Table.create(folder / "so urce", "id LONG, p STRING", partition_columns=["p"], properties=properties)
    table.start_transaction().commit([add("a%20b"), add("c")], operations.write())
    return table


def test_a_clone_names_the_files_of_its_source_by_absolute_paths(tmp_path: Path) -> None:
    table = source(tmp_path)
    outcome = table.clone(tmp_path / "clone")
    clone = dr.Table(tmp_path / "clone")
    root = f"file:{tmp_path}/so%20urce"
    assert {file.path for file in clone.snapshot().add_actions()} == {f"{root}/a%20b", f"{root}/c"}
    assert clone.metadata.schema_string == table.metadata.schema_string
    assert clone.metadata.id != table.metadata.id
    assert clone.protocol == table.protocol
    entry = clone.history(1)[0]
    assert (entry.operation, dict(entry.parameters)) == (
        "CLONE",
        {"source": f"delta.`file:{tmp_path}/so urce`", "sourceVersion": 1},
    )
    assert outcome.metrics()["source_num_of_files"] == 2
    assert dr.Table(tmp_path / "so urce").update().table_version == 1


def test_an_earlier_version_is_cloned_and_a_missing_one_refused(tmp_path: Path) -> None:
    table = source(tmp_path)
    table.clone(tmp_path / "clone", version=0)
    assert list(dr.Table(tmp_path / "clone").snapshot().add_actions()) == []
    with pytest.raises(VersionNotFoundError):
        table.clone(tmp_path / "other", version=7)


def test_what_is_true_of_the_source_alone_is_not_cloned(tmp_path: Path) -> None:
    table = source(tmp_path, **{"delta.enableRowTracking": "true"})
    table.alter({"delta.enableInCommitTimestamps": "true"})
    table.alter({"mine": "1"})
    table.clone(tmp_path / "clone", properties={"mine": "2"})
    before, after = table.update().metadata.configuration, dr.Table(tmp_path / "clone").metadata.configuration
    assert "delta.inCommitTimestampEnablementVersion" in before
    assert "delta.inCommitTimestampEnablementVersion" not in after
    names = [key for key in before if "materialized" in key]
    assert names
    assert all(before[key] != after[key] for key in names)
    assert after["mine"] == "2"
    snapshot = dr.Table(tmp_path / "clone").snapshot()
    assert sorted(file.base_row_id or 0 for file in snapshot.add_actions()) == [0, 10]
    assert {file.default_row_commit_version for file in snapshot.add_actions()} == {0}


def test_defaults_of_the_session_add_nothing(tmp_path: Path) -> None:
    source(tmp_path)
    session = {"spark.databricks.delta.properties.defaults.appendOnly": "true"}
    dr.Table(tmp_path / "so urce", session=session).clone(tmp_path / "clone")
    assert dr.Table(tmp_path / "clone").metadata.configuration == {}


def test_clustering_is_cloned_and_other_domains_are_not(tmp_path: Path) -> None:
    table = dr.Table.create(tmp_path / "s", "id LONG", cluster_by=["id"])
    transaction = table.start_transaction()
    transaction.commit([DomainMetadata("of.others", "{}")], operations.manual_update())
    table.clone(tmp_path / "clone")
    assert set(dr.Table(tmp_path / "clone").snapshot().domains) == {"delta.clustering"}


def test_a_target_that_is_taken_is_refused(tmp_path: Path) -> None:
    table, other = source(tmp_path), dr.Table.create(tmp_path / "other", "x LONG")
    with pytest.raises(CloneTargetError, match="tried to REPLACE"):
        table.clone(tmp_path / "so urce", replace=True)
    with pytest.raises(TableExistsError):
        table.clone(tmp_path / "other")
    before = other.metadata.id
    table.clone(tmp_path / "other", replace=True)
    assert dr.Table(tmp_path / "other").metadata.id == before
    assert dr.Table(tmp_path / "other").update().table_version == 1
    with pytest.raises(CloneTargetError, match="non-empty"):
        table.clone(tmp_path / "other", replace=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_bytes(b"")
    with pytest.raises(TableExistsError):
        table.clone(tmp_path / "full")


def test_properties_that_would_not_be_true_of_the_rows_are_refused(tmp_path: Path) -> None:
    table = source(tmp_path)
    with pytest.raises(TablePropertyRefusedError):
        table.clone(tmp_path / "a", properties={"delta.constraints.positive": "id > 0"})
    with pytest.raises(CloneTargetError, match="mapping mode"):
        table.clone(tmp_path / "b", properties={"delta.columnMapping.mode": "name"})
    assert not (tmp_path / "a").exists()


@given(st.sampled_from(FOLDER_NAMES) | st.text(max_size=10), st.sampled_from(["", "p=1/", "s3a://b/", "file:/x/"]))
def test_a_path_stays_the_same_file(name: str, folder: str) -> None:
    from urllib.parse import quote

    logged = folder + quote(f"x{name}", safe="")
    found = _absolute(AddFile(logged), "file:/lake/t").path
    expected = canonical_path(logged) if ":" in folder else f"file:/lake/t/{canonical_path(logged)}"
    assert canonical_path(found) == canonical_path(expected)


def test_a_clone_names_deletion_vectors_by_absolute_paths() -> None:
    inline = DeletionVector("i", "abc", None, 3, 1)
    assert _absolute(AddFile("a", deletion_vector=inline), "file:/t").deletion_vector == inline
    relative = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 4, 40, 2)
    vector = _absolute(AddFile("a", deletion_vector=relative), "file:/t").deletion_vector
    assert vector is not None
    assert vector.storage_type == "p"
    assert vector.path_or_inline == "file:/t/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
    assert (vector.offset, vector.size_in_bytes, vector.cardinality) == (4, 40, 2)
