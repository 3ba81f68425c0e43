"""File names of the log: parsed as built, and nothing else is taken for a log file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.log.names import (
    LAST_CHECKPOINT,
    LogFileName,
    NameKind,
    checkpoint_part_paths,
    checkpoint_path,
    checksum_path,
    commit_path,
    commit_version,
    compaction_path,
    listing_prefix,
    parse_log_path,
    sidecar_location,
    sidecar_path,
    staged_commit_path,
    v2_checkpoint_path,
)

versions = st.integers(0, 2**63 - 1)
UUID = "2a15d0c6-8b11-4a98-bab4-957905d62f7f"


@given(versions)
def test_commits_checksums_and_checkpoints_parse_as_built(version: int) -> None:
    assert parse_log_path(commit_path(version)) == LogFileName(NameKind.COMMIT, version, version, extension="json")
    assert commit_version(commit_path(version)) == version
    assert parse_log_path(checksum_path(version)) == LogFileName(NameKind.CHECKSUM, version, version, extension="crc")
    classic = parse_log_path(checkpoint_path(version))
    assert classic == LogFileName(NameKind.CHECKPOINT, version, version, extension="parquet")
    assert classic.is_checkpoint


@given(versions, st.integers(1, 20))
def test_every_part_of_a_checkpoint_knows_its_place(version: int, count: int) -> None:
    for part, path in enumerate(checkpoint_part_paths(version, count), start=1):
        name = parse_log_path(path)
        assert name == LogFileName(NameKind.CHECKPOINT_PART, version, version, part, count, extension="parquet")


@given(versions, st.sampled_from(["json", "parquet"]))
def test_v2_checkpoints_parse_as_built(version: int, extension: str) -> None:
    name = parse_log_path(v2_checkpoint_path(version, UUID, extension))
    assert name == LogFileName(NameKind.CHECKPOINT_V2, version, version, uuid=UUID, extension=extension)


def test_compactions_staged_commits_and_sidecars_parse_as_built() -> None:
    assert parse_log_path(compaction_path(4, 6)) == LogFileName(NameKind.COMPACTION, 4, 6, extension="json")
    staged = parse_log_path(staged_commit_path(7, UUID))
    assert staged == LogFileName(NameKind.STAGED_COMMIT, 7, 7, uuid=UUID, extension="json")
    sidecar = parse_log_path(sidecar_path(7, 2, 3, UUID))
    assert sidecar == LogFileName(NameKind.SIDECAR, 7, 7, 2, 3, UUID, "parquet")
    bare = parse_log_path(f"_delta_log/_sidecars/{UUID}.parquet")
    assert bare is not None
    assert (bare.kind, bare.uuid) == (NameKind.SIDECAR, UUID)
    last = parse_log_path(LAST_CHECKPOINT)
    assert last is not None
    assert last.kind is NameKind.LAST_CHECKPOINT


@pytest.mark.parametrize(
    "name",
    [
        ".00000000000000000001.json.crc",
        "..00000000000000000001.json.abc.tmp",
        "00000000000000000001.json.tmp",
        "_commit_abc.json.tmp",
        "1.json",
        "0000000000000000000x.json",
        "\u0660" * 20 + ".json",
        "00000000000000000001.checkpoint",
        "00000000000000000001.checkpoint.a.b.parquet",
        "00000000000000000001.compacted.json",
        "info.txt",
        "",
    ],
)
def test_anything_else_is_ignored(name: str) -> None:
    assert parse_log_path(f"_delta_log/{name}") is None
    assert commit_version(f"_delta_log/{name}") is None


@pytest.mark.parametrize("folder", ["_delta_log/_autostats", "_delta_log/.tmp", "_delta_log/_sidecars", "data", ""])
def test_a_commit_counts_only_in_the_log_folder_itself(folder: str) -> None:
    name = parse_log_path(f"{folder}/00000000000000000001.json")
    assert name is None or name.kind is not NameKind.COMMIT


@given(versions)
def test_the_prefix_sorts_before_every_file_of_its_version_and_after_those_below(version: int) -> None:
    assert listing_prefix(version) < commit_path(version)
    assert listing_prefix(version) < checkpoint_path(version)
    if version:
        assert max(commit_path(version - 1), checksum_path(version - 1)) < listing_prefix(version)


def test_a_sidecar_path_may_be_bare_or_a_location() -> None:
    assert sidecar_location("x.parquet") == "_delta_log/_sidecars/x.parquet"
    assert sidecar_location("s3://bucket/x.parquet") == "s3://bucket/x.parquet"
