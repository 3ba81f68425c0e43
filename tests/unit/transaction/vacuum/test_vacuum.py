"""VACUUM on a local folder: what goes, what stays, what is refused, and what history shows."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

import deltaresolver as dr
from deltaresolver.errors import (
    ArgumentInvalidError,
    LiteVacuumUnavailableError,
    ProtocolUnsupportedError,
    TableNotFoundError,
    VacuumRetentionTooShortError,
)
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.names import commit_path
from deltaresolver.transaction.vacuum.removed_files import LAST_VACUUM
from tests.logs import LogBuilder, add, domain, info, lines, metadata, remove

UNCHECKED = {"spark.databricks.delta.retentionDurationCheck.enabled": "false"}
WEEK_S, DAY_S = 7 * 86_400, 86_400


def put(path: Path, age_s: float = 30 * DAY_S) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"rows")
    os.utime(path, (time.time() - age_s,) * 2)
    return path


def table_with(folder: Path, *actions: dict[str, object], partitions: tuple[str, ...] = ()) -> dr.Table:
    first = metadata({})
    first["metaData"]["partitionColumns"] = list(partitions)
    first["metaData"]["schemaString"] = json.dumps(
        {
            "type": "struct",
            "fields": [
                {"name": name, "type": "string", "nullable": True, "metadata": {}} for name in ("id", *partitions)
            ],
        }
    )
    LogBuilder.local(folder).commit({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, first, *actions)
    return dr.Table(folder, session=UNCHECKED)


def below(folder: Path) -> set[str]:
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return {path for path in found if not path.startswith("_delta_log/")}


def test_orphans_and_expired_files_are_deleted_and_what_is_young_or_live_stays(tmp_path: Path) -> None:
    now = time.time_ns() // 1_000_000
    table = table_with(
        tmp_path,
        add("live.parquet"),
        remove("recent.parquet", now - DAY_S * 1000),
        remove("expired.parquet", now - 8 * DAY_S * 1000),
    )
    for name in ("live.parquet", "recent.parquet", "expired.parquet", "orphan.parquet", "_change_data/cdc"):
        put(tmp_path / name)
    put(tmp_path / "of-a-running-write.parquet", age_s=60)
    put(tmp_path / ".orphan.parquet.crc")
    would = table.vacuum(dry_run=True)
    assert set(would.paths) == {"expired.parquet", "orphan.parquet", "_change_data/cdc"}
    assert len(below(tmp_path)) == 7
    done = table.vacuum()
    assert done.paths == would.paths
    assert done.deleted.files == 3
    assert below(tmp_path) == {"live.parquet", "recent.parquet", "of-a-running-write.parquet"}


def test_history_shows_a_start_and_an_end_as_delta_spark_writes_them(tmp_path: Path) -> None:
    table = table_with(tmp_path)
    put(tmp_path / "orphan")
    assert table.vacuum(200).table_version == 2
    end, start, _ = table.history()
    assert (start.operation, start.parameters) == (
        "VACUUM START",
        {
            "retentionCheckEnabled": False,
            "defaultRetentionMillis": WEEK_S * 1000,
            "specifiedRetentionMillis": 200 * 3_600_000,
        },
    )
    assert start.info.fields["operationMetrics"] == {"numFilesToDelete": "1", "sizeOfDataToDelete": "4"}
    assert (end.operation, end.parameters) == ("VACUUM END", {"status": "COMPLETED"})
    assert end.info.fields["operationMetrics"] == {"numDeletedFiles": "1", "numVacuumedDirectories": "1"}


def test_nothing_is_committed_where_the_session_switches_that_off(tmp_path: Path) -> None:
    table_with(tmp_path)
    put(tmp_path / "orphan")
    table = dr.Table(tmp_path, session={"spark.databricks.delta.vacuum.logging.enabled": "false"})
    assert table.vacuum().table_version is None
    assert table.snapshot().table_version == 0
    assert below(tmp_path) == set()


def test_links_are_neither_followed_nor_deleted(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "t"
    put(outside / "p=1" / "theirs")
    table = table_with(root)
    (root / "link").symlink_to(outside, target_is_directory=True)
    (root / "file").symlink_to(outside / "p=1" / "theirs")
    outcome = table.vacuum(0)
    assert set(outcome.links) == {"link", "file"}
    assert below(outside) == {"p=1/theirs"}
    assert (root / "link").is_symlink()
    assert (root / "file").is_symlink()


def test_lite_does_not_delete_through_a_link_or_in_the_log(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "t"
    put(outside / "theirs")
    paths = ("link/theirs", "_delta_log/00000000000000000000.json", "../outside/theirs", "a//b", "mine")
    table = table_with(root, *(remove(path, 5) for path in paths))
    put(root / "mine")
    (root / "link").symlink_to(outside, target_is_directory=True)
    table.vacuum(0, kind="lite")
    assert below(outside) == {"theirs"}
    assert below(root) == {"link"}
    assert table.update().table_version == 2


def test_a_table_opened_through_a_link_is_vacuumed(tmp_path: Path) -> None:
    real = tmp_path / "real"
    table_with(real, add(f"file:{real}/absolute.parquet"), add("live"))
    for name in ("absolute.parquet", "live", "sub/orphan"):
        put(real / name)
    (tmp_path / "door").symlink_to(real, target_is_directory=True)
    dr.Table(tmp_path / "door").vacuum()
    assert below(real) == {"absolute.parquet", "live"}


def test_partition_folders_with_hidden_names_are_searched_and_other_hidden_folders_are_not(tmp_path: Path) -> None:
    table = table_with(tmp_path, add("_day=1/live", partitionValues={"_day": "1"}), partitions=("_day",))
    for name in (
        "_day=1/live",
        "_day=1/orphan",
        "_day=1/_SUCCESS",
        "_other=1/x",
        "_tmp/x",
        ".hidden/x",
        "_delta_index/x",
    ):
        put(tmp_path / name)
    table.vacuum(0)
    assert below(tmp_path) == {"_day=1/live", "_day=1/_SUCCESS", "_other=1/x", "_tmp/x", ".hidden/x"}


def test_the_files_of_a_table_inside_the_table_stay(tmp_path: Path) -> None:
    table = table_with(tmp_path)
    table_with(tmp_path / "sub" / "inner", add("live"))
    for name in ("sub/inner/live", "sub/inner/orphan", "sub/orphan"):
        put(tmp_path / name)
    assert table.vacuum().other_tables == ("sub/inner",)
    assert below(tmp_path / "sub" / "inner") == {"live", "orphan"}
    assert not (tmp_path / "sub" / "orphan").exists()


def test_old_empty_folders_are_deleted_inner_ones_first(tmp_path: Path) -> None:
    table = table_with(tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "young").mkdir()
    for folder in ("a/b", "a"):
        os.utime(tmp_path / folder, (1, 1))
    assert table.vacuum().deleted.folders >= 1
    assert not (tmp_path / "a" / "b").exists()
    assert (tmp_path / "young").exists()


@pytest.mark.parametrize(
    ("hours", "error"),
    [(1, VacuumRetentionTooShortError), (167.9, VacuumRetentionTooShortError), (-1, ArgumentInvalidError)],
)
def test_a_retention_below_the_tables_is_refused(tmp_path: Path, hours: float, error: type[Exception]) -> None:
    table_with(tmp_path)
    put(tmp_path / "orphan")
    with pytest.raises(error):
        dr.Table(tmp_path).vacuum(hours)
    with pytest.raises(error):
        dr.Table(tmp_path).vacuum(hours, dry_run=True)
    assert below(tmp_path) == {"orphan"}
    assert dr.Table(tmp_path).snapshot().table_version == 0


@pytest.mark.parametrize("hours", [float("nan"), float("inf"), "1", True])
def test_only_a_number_of_hours_is_a_retention(tmp_path: Path, hours: float) -> None:
    with pytest.raises(ArgumentInvalidError, match="anything but a number"):
        table_with(tmp_path).vacuum(hours)


def test_a_folder_that_is_not_a_table_is_left_alone(tmp_path: Path) -> None:
    put(tmp_path / "precious")
    with pytest.raises(TableNotFoundError):
        dr.Table(tmp_path, session=UNCHECKED).vacuum(0)
    assert below(tmp_path) == {"precious"}


def test_a_table_with_an_unknown_feature_is_left_alone(tmp_path: Path) -> None:
    protocol = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["keepsMoreFiles"]}
    LogBuilder.local(tmp_path).commit({"protocol": protocol}, metadata({}))
    put(tmp_path / "orphan")
    for dry_run in (True, False):
        with pytest.raises(ProtocolUnsupportedError, match="keepsMoreFiles"):
            dr.Table(tmp_path, session=UNCHECKED).vacuum(0, dry_run=dry_run)
    assert below(tmp_path) == {"orphan"}


def test_lite_goes_on_where_it_ended_and_refuses_a_log_that_it_has_not_seen(tmp_path: Path) -> None:
    table = table_with(tmp_path, add("a"), add("b"))
    builder = LogBuilder.local(tmp_path)
    builder.next_version = 1
    builder.commit(remove("a", 5))
    for name in ("a", "b", "orphan"):
        put(tmp_path / name)
    time.sleep(0.01)
    assert set(table.vacuum(0, kind="LITE").paths) == {"a"}
    assert json.loads((tmp_path / LAST_VACUUM).read_bytes()) == {"latestCommitVersionOutsideOfRetentionWindow": 1}
    assert below(tmp_path) == {"b", "orphan"}
    (tmp_path / LAST_VACUUM).write_text("torn")
    dr.Table(tmp_path).update()
    snapshot = table.snapshot()
    write_checkpoint(snapshot, table.log.store, table.catalog)
    (tmp_path / commit_path(0)).unlink()
    with pytest.raises(LiteVacuumUnavailableError):
        dr.Table(tmp_path, session=UNCHECKED).vacuum(0, kind="LITE")


def test_files_that_others_restore_while_the_folder_is_listed_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deltaresolver.transaction.vacuum import vacuum_table as module
    from deltaresolver.transaction.vacuum.contents import list_contents

    table = table_with(tmp_path, remove("a", 5))
    put(tmp_path / "a")
    put(tmp_path / "orphan")
    listed = list_contents

    def restored_meanwhile(*given: object) -> object:
        found = listed(*given)  # type: ignore[arg-type]
        (tmp_path / commit_path(1)).write_bytes(lines([info(operation="RESTORE"), add("a"), domain("x")][:2]))
        return found

    monkeypatch.setattr(module, "list_contents", restored_meanwhile)
    table.vacuum(0)
    assert below(tmp_path) == {"a"}


def test_a_retention_longer_than_the_tables_keeps_what_checkpoints_have_forgotten(tmp_path: Path) -> None:
    now = time.time_ns() // 1_000_000
    table = table_with(tmp_path, add("removed-a-month-ago"), add("live"))
    builder = LogBuilder.local(tmp_path)
    builder.next_version = 1
    builder.commit(remove("removed-a-month-ago", now - 30 * DAY_S * 1000))
    for version, age in ((0, 60 * DAY_S), (1, 30 * DAY_S)):
        os.utime(tmp_path / commit_path(version), (time.time() - age,) * 2)
    write_checkpoint(table.snapshot(), table.log.store, table.catalog)
    for name in ("live", "removed-a-month-ago", "orphan"):
        put(tmp_path / name, age_s=70 * DAY_S)
    assert dr.Table(tmp_path).vacuum(24 * 50, dry_run=True).paths == ("orphan",)
    dr.Table(tmp_path).vacuum(24 * 50)
    assert below(tmp_path) == {"live", "removed-a-month-ago"}
    dr.Table(tmp_path).vacuum()
    assert below(tmp_path) == {"live"}
