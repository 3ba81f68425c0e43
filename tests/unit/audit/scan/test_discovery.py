"""Tables are found below a root, here and where a runner hands the search out; an audit shows its progress."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import pytest

from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.scan import discovery
from deltaresolver.audit.scan.discovery import (
    FOLDERS_AT_ONCE,
    WORTH_SPREADING,
    SearchBelow,
    find_tables,
    found_below,
)
from deltaresolver.audit.scan.folder_tree import FolderTree
from deltaresolver.audit.scan.runners import Batches, CatalogRunner, InProcess, Task
from deltaresolver.errors import LocationInvalidError
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.spark.catalog_tables import TableInCatalog
from tests.logs import PROTOCOL, LogBuilder, metadata

FOLDERS = WORTH_SPREADING + 5


@attrs.frozen
class ElsewhereRunner:
    """As a cluster is: it knows catalogs, and tasks run on it out of order."""

    handed_out: list[list[str]] = attrs.field(factory=list)

    def tables_in_catalog(self, catalog: str | None, namespace: str | None = None) -> Iterator[TableInCatalog]:
        raise AssertionError((catalog, namespace))

    def run(self, task: Task, batches: Batches) -> Iterator[tuple[int, bytes]]:
        found = list(batches)
        self.handed_out.extend(folders for _, folders in found)
        yield from reversed(list(InProcess().run(task, found)))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Tables two and three levels down, and folders that are none."""
    for number in range(FOLDERS):
        (tmp_path / f"team_{number}" / "table" / "_delta_log").mkdir(parents=True)
        (tmp_path / f"team_{number}" / "table" / "part=1" / "_delta_log").mkdir(parents=True)
    (tmp_path / "team_0" / "deep" / "er" / "_delta_log").mkdir(parents=True)
    (tmp_path / ".hidden" / "_delta_log").mkdir(parents=True)
    (tmp_path / "file").write_text("")
    return tmp_path


def test_every_table_is_found_and_none_inside_another(root: Path) -> None:
    expected = {f"{root}/team_{number}/table" for number in range(FOLDERS)} | {f"{root}/team_0/deep/er"}
    found = list(find_tables(str(root)))
    assert len(found) == len(expected)
    assert set(found) == expected
    assert list(find_tables(f"{root}/team_1/table/")) == [f"{root}/team_1/table"]


def test_the_search_below_many_folders_is_handed_out(root: Path) -> None:
    runner = ElsewhereRunner()
    assert isinstance(runner, CatalogRunner)
    assert sorted(find_tables(str(root), None, runner)) == sorted(find_tables(str(root)))
    assert [len(folders) for folders in runner.handed_out] == [WORTH_SPREADING, 5]


def test_links_and_folders_that_are_refused_are_not_lost_where_the_search_is_handed_out(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "u" / "_delta_log").mkdir(parents=True)
    (root / "more").symlink_to(elsewhere)
    (root / "again").symlink_to(root / "team_1" / "table")
    looked = FolderTree.names_in

    def names_in(tree: FolderTree, folder: str) -> list[str]:
        if not folder:
            tree.refused.append("team_refused")
        return looked(tree, folder)

    monkeypatch.setattr(FolderTree, "names_in", names_in)
    refused: list[str] = []
    found = list(find_tables(str(root), None, ElsewhereRunner(), refused.append))
    assert sorted(found) == sorted(find_tables(str(root)))
    assert f"{root}/more/u" in found
    assert refused == [f"{root}/team_refused"]


def test_few_names_wait_however_many_tables_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4 * FOLDERS_AT_ONCE):
        (tmp_path / f"db_{number % 3}" / f"t_{number}" / "_delta_log").mkdir(parents=True)
    waiting: list[int] = []
    next_level = discovery._next_level

    def noted(store: LogStore, level: Sequence[str], tree: FolderTree) -> tuple[list[str], list[str]]:
        waiting.append(len(level))
        return next_level(store, level, tree)

    monkeypatch.setattr(discovery, "_next_level", noted)
    assert len(list(find_tables(str(tmp_path)))) == 4 * FOLDERS_AT_ONCE
    assert max(waiting) == FOLDERS_AT_ONCE


def test_a_folder_that_may_not_be_listed_is_noted() -> None:
    """In a process of its own, because root would have to give up being root."""
    program = (
        "import os, tempfile\n"
        "from deltaresolver.audit.scan.discovery import find_tables\n"
        "with tempfile.TemporaryDirectory() as lake:\n"
        "    for team in ('team_1', 'team_2'):\n"
        "        os.makedirs(f'{lake}/{team}/table/_delta_log')\n"
        "    os.chmod(lake, 0o755)\n"
        "    os.chmod(f'{lake}/team_1', 0)\n"
        "    if os.geteuid() == 0:\n"
        "        os.seteuid(65534)\n"
        "    refused = []\n"
        "    print(*(os.path.relpath(found, lake) for found in find_tables(lake, None, None, refused.append)))\n"
        "    print(*(os.path.relpath(found, lake) for found in refused))\n"
        "    if os.getuid() == 0:\n"
        "        os.seteuid(0)\n"
        "    os.chmod(f'{lake}/team_1', 0o700)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["team_2/table", "team_1"]


def test_links_are_followed_but_not_in_a_circle(tmp_path: Path) -> None:
    for folder in ("lake/a/t", "lake/b", "elsewhere/u"):
        (tmp_path / folder).mkdir(parents=True)
    for table in ("lake/a/t", "elsewhere/u"):
        (tmp_path / table / "_delta_log").mkdir()
    (tmp_path / "lake/more").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "lake/self").symlink_to(tmp_path / "lake")
    (tmp_path / "lake/above").symlink_to(tmp_path)
    # Two that lead to each other: what they lead to is found under its own name.
    (tmp_path / "lake/a/to_b").symlink_to(tmp_path / "lake/b")
    (tmp_path / "lake/b/to_a").symlink_to(tmp_path / "lake/a")
    found = sorted(Path(table).relative_to(tmp_path).as_posix() for table in find_tables(str(tmp_path / "lake")))
    assert found == ["lake/a/t", "lake/more/u"]


def test_an_error_elsewhere_is_raised_here_and_a_folder_that_vanished_is_passed_over(tmp_path: Path) -> None:
    assert list(found_below(SearchBelow(str(tmp_path))(["nowhere"]))) == []
    told = SearchBelow("s4://bucket/lake")(["team"])
    with pytest.raises(LocationInvalidError, match="not a known kind of storage"):
        list(found_below(told))


def test_progress_goes_from_zero_to_all(tmp_path: Path) -> None:
    for number in range(7):
        LogBuilder.local(tmp_path / f"table_{number}").commit(PROTOCOL, metadata())
    told: list[tuple[int, int]] = []
    request = AuditRequest(roots=(str(tmp_path),), batch_size=3, budget=None)
    audit_lake(
        request, InProcess(), tmp_path / "work", tmp_path / "audit.json", lambda done, of: told.append((done, of))
    )
    assert told == [(0, 7), (3, 7), (6, 7), (7, 7)]
