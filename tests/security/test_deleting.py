"""Nothing outside a table is deleted, whatever lies in it or leads out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import LinkedFolderError, LocationInvalidError
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.upkeep.cleanup import DAY_MS, CleanUp, clean_up_log
from tests.logs import add
from tests.security.tables import commit, log_of

VICTIMS = (
    "thesis.docx",
    "id_rsa",
    "data.parquet",
    "part-0.parquet",
    "01234567-89ab-cdef-0123-456789abcdef.parquet",
    "00000000000000000000.json",
    "00000000000000000000.01234567-89ab-cdef-0123-456789abcdef.json",
    "00000000000000000000.checkpoint.0000000001.0000000001.01234567-89ab-cdef-0123-456789abcdef.parquet",
)


def victim(folder: Path) -> Path:
    folder.mkdir()
    for name in VICTIMS:
        (folder / name).write_text("mine")
        os.utime(folder / name, (0, 0))
    return folder


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def old_table(folder: Path) -> Path:
    """A table all of whose commits expired long ago, with a checkpoint that they can be left for."""
    log = log_of(folder)
    for version in range(1, 4):
        commit(log, version, add(str(version)))
    write_checkpoint(DeltaLog(LocalStore(folder)).snapshot(), LocalStore(folder), built_in_catalog())
    for file in log.iterdir():
        os.utime(file, (0, 0))
    return log


def clean(folder: Path) -> CleanUp:
    return clean_up_log(DeltaLog(LocalStore(folder)), 100_000 * DAY_MS, built_in_catalog())


@pytest.mark.parametrize("place", ["_sidecars", "_staged_commits"])
def test_clean_up_follows_no_link(tmp_path: Path, place: str) -> None:
    foreign = victim(tmp_path / "victim")
    log = old_table(tmp_path / "t")
    (log / place).symlink_to(foreign)
    assert clean(tmp_path / "t").deleted
    assert names_in(foreign) == sorted(VICTIMS)


def test_a_log_that_is_a_link_is_not_cleaned_up(tmp_path: Path) -> None:
    old_table(tmp_path / "real")
    (tmp_path / "t").mkdir()
    (tmp_path / "t/_delta_log").symlink_to(tmp_path / "real/_delta_log")
    before = names_in(tmp_path / "real/_delta_log")
    assert "link" in (clean(tmp_path / "t").refusal or "")
    assert names_in(tmp_path / "real/_delta_log") == before


def test_a_table_may_itself_be_reached_by_a_link(tmp_path: Path) -> None:
    old_table(tmp_path / "real")
    (tmp_path / "t").symlink_to(tmp_path / "real")
    assert clean(tmp_path / "t").deleted


def test_what_is_not_named_as_a_sidecar_stays(tmp_path: Path) -> None:
    log = old_table(tmp_path / "t")
    victim(log / "_sidecars")
    clean(tmp_path / "t")
    gone = {name for name in VICTIMS if not (log / "_sidecars" / name).exists()}
    assert gone == {name for name in VICTIMS if name.endswith(".parquet")}


def test_a_sidecar_that_is_a_link_is_deleted_and_its_target_stays(tmp_path: Path) -> None:
    foreign = victim(tmp_path / "victim")
    log = old_table(tmp_path / "t")
    (log / "_sidecars").mkdir()
    link = log / "_sidecars" / VICTIMS[4]
    link.symlink_to(foreign / "id_rsa")
    clean(tmp_path / "t")
    assert not link.is_symlink()
    assert names_in(foreign) == sorted(VICTIMS)


@pytest.mark.parametrize("path", ["a/thesis.docx", "a/b/thesis.docx", "b/a/thesis.docx"])
def test_a_store_deletes_through_no_link(tmp_path: Path, path: str) -> None:
    foreign = victim(tmp_path / "victim")
    (tmp_path / "t/b").mkdir(parents=True)
    (foreign / "b").symlink_to(foreign)
    (tmp_path / "t/a").symlink_to(foreign)
    (tmp_path / "t/b/a").symlink_to(foreign)
    with pytest.raises(LinkedFolderError) as raised:
        LocalStore(tmp_path / "t").delete(path)
    assert raised.value.code == "DR423"
    assert (foreign / "thesis.docx").exists()


@pytest.mark.parametrize("path", ["../victim/id_rsa", "/id_rsa", "a/../../victim/id_rsa", "./../victim/id_rsa", ".."])
def test_a_store_deletes_nothing_above_itself(tmp_path: Path, path: str) -> None:
    foreign = victim(tmp_path / "victim")
    (tmp_path / "t/a").mkdir(parents=True)
    with pytest.raises(LocationInvalidError):
        LocalStore(tmp_path / "t").delete(path)
    assert names_in(foreign) == sorted(VICTIMS)


def test_what_is_not_there_may_be_deleted(tmp_path: Path) -> None:
    LocalStore(tmp_path).delete("a/b/c")
    LocalStore(tmp_path / "none").delete("a")
