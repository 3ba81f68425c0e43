"""What is found where a table was expected; a call that only checks for a table does not search."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltaresolver.log.found_instead as module
from deltaresolver import Table
from deltaresolver.errors import TableNotFoundError
from deltaresolver.log.found_instead import found_instead
from tests.unit.cli.running import first_commit, write_table


def test_the_number_of_names_is_bounded(tmp_path: Path) -> None:
    for number in range(module.MAX_NAMES + 500):
        (tmp_path / f"file_{number}").touch()
    write_table(tmp_path / "zz" / "table", first_commit())
    found = found_instead(str(tmp_path))
    assert found is not None
    assert found.kind in {"other files", "folder of tables"}


def test_a_table_without_a_version_is_not_offered(tmp_path: Path) -> None:
    (tmp_path / "a cleared table" / "_delta_log").mkdir(parents=True)
    (tmp_path / "a cleared table" / "_delta_log" / "_last_checkpoint").write_text("{}", encoding="utf-8")
    alone = found_instead(str(tmp_path))
    assert alone is not None
    assert (alone.kind, "a cleared table" in alone.what) == ("folder of empty logs", True)
    write_table(tmp_path / "orders", first_commit())
    found = found_instead(str(tmp_path))
    assert found is not None
    assert found.what == "it is a folder with 1 Delta table below it"
    assert str(tmp_path / "orders") in found.fix


def test_the_depth_is_bounded(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["below"] * (module.MAX_DEPTH + 3))
    write_table(deep, first_commit())
    found = found_instead(str(tmp_path))
    assert found is not None
    assert found.kind == "other files"


def test_links_are_not_followed_in_circles(tmp_path: Path) -> None:
    (tmp_path / "round").mkdir()
    (tmp_path / "round" / "again").symlink_to(tmp_path, target_is_directory=True)
    found = found_instead(str(tmp_path))
    assert found is not None
    assert found.kind == "other files"


def test_a_new_table_does_not_wait_for_a_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(location: str) -> None:
        raise AssertionError(f"looked at {location}")

    monkeypatch.setattr(module, "found_instead", look)
    assert Table.create(tmp_path / "new", "id BIGINT").protocol.min_reader_version == 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: table.protocol,
        lambda table: table.history(),
        lambda table: table.snapshot(3),
        lambda table: table.alter({"delta.appendOnly": "true"}),
        lambda table: table.sql("ALTER TABLE t ADD COLUMN x INT"),
        lambda table: table.drop_feature("deletionVectors"),
    ],
)
def test_every_call_on_a_table_that_does_not_exist_names_what_is_there(ask: object, tmp_path: Path) -> None:
    write_table(tmp_path / "lake" / "orders", first_commit())
    assert callable(ask)
    with pytest.raises(TableNotFoundError, match="a folder with 1 Delta table below it") as caught:
        ask(Table(tmp_path / "lake"))
    assert caught.value.details["found"] == "folder of tables"
