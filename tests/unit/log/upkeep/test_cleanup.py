"""Log clean-up: where the cut falls, what goes, what stays, and when nothing is touched."""

from __future__ import annotations

from typing import Any

import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import PropertyInvalidError
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import checkpoint_path, checksum_path, commit_path, compaction_path
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.log.upkeep.cleanup import DAY_MS, CleanUp, clean_up_log
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.support import REFUSED, Support
from tests.features import writer_feature
from tests.logs import LogBuilder, add, metadata

CATALOG = built_in_catalog()
KNOWING = FeatureCatalog([*CATALOG, writer_feature("brandNew")])

NOW_MS = 100 * DAY_MS + 12 * 3_600_000
"""Noon."""


class DatedLog(LogBuilder):
    """A log whose version `n` is committed at noon of day `n`."""

    def __init__(self, *features: str, configuration: dict[str, str] | None = None) -> None:
        self.day = 0.5
        super().__init__(MemoryStore(clock_ms=lambda: int(self.day * DAY_MS)))
        protocol = {"minReaderVersion": 3, "minWriterVersion": 7}
        lists = {"readerFeatures": list(features), "writerFeatures": list(features)}
        self.commit({"protocol": {**protocol, **lists}}, metadata(configuration), add("0"))

    def until(self, last: int) -> DatedLog:
        while self.next_version <= last:
            self.day = self.next_version + 0.5
            self.commit(add(str(self.next_version)))
        return self

    def checkpointed(self, table_version: int, catalog: FeatureCatalog = CATALOG, **arguments: Any) -> DatedLog:
        snapshot = DeltaLog(self.store).snapshot(table_version)
        write_checkpoint(snapshot, self.store, catalog, **arguments)
        return self

    def clean(self, now_ms: int = NOW_MS, catalog: FeatureCatalog = CATALOG, **arguments: Any) -> CleanUp:
        return clean_up_log(DeltaLog(self.store), now_ms, catalog, **arguments)

    def versions(self) -> list[int]:
        return [number for number in range(self.next_version) if commit_path(number) in self.paths()]

    def paths(self) -> list[str]:
        folders = ("_delta_log/", "_delta_log/_sidecars/", "_delta_log/_staged_commits/")
        return [file.path for folder in folders for file in self.store.list_from(folder)]


def test_the_cut_falls_on_midnight_before_the_retention() -> None:
    log = DatedLog().until(90).checkpointed(60).checkpointed(69).checkpointed(70).checkpointed(80)
    done = log.clean()
    # Thirty days before noon of day 100 is noon of day 70; its midnight lies after version 69.
    assert (done.cutoff_ms, done.kept_from) == (70 * DAY_MS, 69)
    assert log.versions() == list(range(69, 91))
    assert [path for path in log.paths() if "checkpoint." in path] == [checkpoint_path(n) for n in (69, 70, 80)]
    assert DeltaLog(log.store).snapshot(69).files().num_rows == 70
    assert len(done.deleted) == 69 + 1


def test_an_older_checkpoint_replaces_the_commits_before_the_cut() -> None:
    log = DatedLog().until(90).checkpointed(50).checkpointed(75)
    assert log.clean().kept_from == 50
    assert log.versions() == list(range(50, 91))


@pytest.mark.parametrize("checkpoint", [None, 75])
def test_without_a_checkpoint_before_the_cut_nothing_is_deleted(checkpoint: int | None) -> None:
    log = DatedLog().until(90)
    if checkpoint is not None:
        log.checkpointed(checkpoint)
    before = log.paths()
    assert log.clean() == CleanUp(70 * DAY_MS)
    assert log.paths() == before


def test_the_property_sets_the_retention() -> None:
    log = DatedLog(configuration={"delta.logRetentionDuration": "interval 2 days"}).until(99).checkpointed(95)
    assert log.clean().cutoff_ms == 98 * DAY_MS
    assert log.versions()[0] == 95


def test_the_caller_may_set_the_cut() -> None:
    log = DatedLog().until(20).checkpointed(10)
    assert log.clean(cutoff_ms=15 * DAY_MS).kept_from == 10


def test_a_damaged_checkpoint_replaces_no_commits() -> None:
    log = DatedLog().until(90).checkpointed(40).checkpointed(60)
    log.put(checkpoint_path(60), log.store.read(checkpoint_path(60))[:-20])
    assert log.clean().kept_from == 40


def test_a_checkpoint_without_its_commit_is_passed_over() -> None:
    log = DatedLog().until(90).checkpointed(40).checkpointed(60)
    log.forget(60)
    assert log.clean().kept_from == 40


def test_a_commit_is_never_older_than_the_one_before() -> None:
    log = DatedLog().until(40)
    log.day = 5.5
    log.commit(add("41"))
    log.until(90).checkpointed(41)
    assert log.clean(cutoff_ms=39 * DAY_MS).kept_from is None


def test_checksums_compactions_and_staged_commits_are_deleted_with_their_versions() -> None:
    log = DatedLog().until(90).checkpointed(60)
    gone = [checksum_path(59), compaction_path(50, 59), compaction_path(58, 62), compaction_path(60, 61)]
    gone.append("_delta_log/_staged_commits/00000000000000000060.u.json")
    kept = [checksum_path(60), compaction_path(61, 62), "_delta_log/_staged_commits/00000000000000000061.u.json"]
    for path in (*gone, *kept, "_delta_log/notes.txt", "_delta_log/.00000000000000000001.json.tmp"):
        log.put(path, b"{}")
    log.clean()
    assert set(gone).isdisjoint(log.paths())
    assert {*kept, "_delta_log/notes.txt", "_delta_log/.00000000000000000001.json.tmp"} <= set(log.paths())


def test_commits_are_deleted_before_the_checkpoints_that_replace_them() -> None:
    log = DatedLog().until(90).checkpointed(10).checkpointed(60)
    deleted = log.clean(dry_run=True).deleted
    assert deleted[-1] == checkpoint_path(10)
    assert list(deleted) == [*(commit_path(number) for number in range(60)), checkpoint_path(10)]


@pytest.mark.parametrize(
    ("features", "configuration", "reason"),
    [
        ((), {"delta.enableExpiredLogCleanup": "false"}, "delta.enableExpiredLogCleanup is false"),
        (("catalogManaged",), {}, "catalog decides"),
        (("brandNew",), {}, "brandNew"),
        (("checkpointProtection",), {"delta.requireCheckpointProtectionBeforeVersion": "61"}, "before version 61"),
    ],
)
def test_nothing_is_touched_where_that_is_not_ours_to_decide(
    features: tuple[str, ...], configuration: dict[str, str], reason: str
) -> None:
    log = DatedLog(*features, configuration=configuration).until(90).checkpointed(60, KNOWING)
    before = log.paths()
    done = log.clean()
    assert done.refusal is not None
    assert reason in done.refusal
    assert (done.deleted, log.paths()) == ((), before)


@pytest.mark.parametrize("protected", [0, 30, 60])
def test_protected_checkpoints_may_be_deleted_all_at_once(protected: int) -> None:
    configuration = {"delta.requireCheckpointProtectionBeforeVersion": str(protected)}
    log = DatedLog("checkpointProtection", configuration=configuration).until(90).checkpointed(20).checkpointed(60)
    assert log.clean().kept_from == 60
    assert log.versions()[0] == 60


def test_a_strangers_feature_does_not_stop_the_clean_up_once_a_plugin_declares_it() -> None:
    log = DatedLog("brandNew").until(90).checkpointed(60, KNOWING)
    assert log.clean().kept_from is None
    assert log.clean(catalog=KNOWING).kept_from == 60


@pytest.mark.parametrize(
    ("support", "reason"),
    [
        (Support(clean_up=REFUSED), "it is unknown what brandNew need of the log"),
        (Support(clean_up=lambda metadata: "the vault keeps its history"), "the vault keeps its history"),
    ],
)
def test_a_feature_may_keep_what_expired(support: Support, reason: str) -> None:
    log = DatedLog("brandNew").until(90).checkpointed(60, KNOWING)
    done = log.clean(catalog=FeatureCatalog([*CATALOG, writer_feature("brandNew", support=support)]))
    assert (done.refusal, done.deleted) == (reason, ())


def test_sidecars_are_deleted_with_the_last_checkpoint_that_names_them() -> None:
    log = DatedLog("v2Checkpoint", configuration={"delta.checkpointPolicy": "v2"}).until(50)
    log.checkpointed(50)
    (old,) = log.store.list_from("_delta_log/_sidecars/")
    log.until(60).checkpointed(60)
    kept = {file.path for file in log.store.list_from("_delta_log/_sidecars/")} - {old.path}
    log.day = 20
    log.put("_delta_log/_sidecars/orphan.parquet", b"")
    log.day = 99
    log.put("_delta_log/_sidecars/young.parquet", b"")
    done = log.clean()
    assert set(done.deleted) >= {old.path, "_delta_log/_sidecars/orphan.parquet"}
    left = {file.path for file in log.store.list_from("_delta_log/_sidecars/")}
    assert left == kept | {"_delta_log/_sidecars/young.parquet"}
    assert DeltaLog(log.store).snapshot(60).files().num_rows == 61


def test_clients_that_know_classic_names_only_find_one() -> None:
    log = DatedLog("v2Checkpoint", configuration={"delta.checkpointPolicy": "v2"}).until(60).checkpointed(60)
    log.until(90)
    done = log.clean()
    assert done.written == checkpoint_path(60)
    (v2,) = [path for path in log.paths() if path.endswith(".json") and "checkpoint." in path]
    log.delete(v2)
    assert DeltaLog(log.store).snapshot(60).files().num_rows == 61


def test_an_unreadable_checkpoint_keeps_every_sidecar() -> None:
    log = DatedLog("v2Checkpoint", configuration={"delta.checkpointPolicy": "v2"}).until(60).checkpointed(60)
    log.put("_delta_log/_sidecars/orphan.parquet", b"")
    log.until(90)
    log.put("_delta_log/00000000000000000070.checkpoint.u.json", b"nonsense")
    assert "_delta_log/_sidecars/orphan.parquet" in log.paths()
    assert not [path for path in log.clean().deleted if "_sidecars" in path]


def test_a_retention_that_is_not_a_duration_is_an_error() -> None:
    with pytest.raises(PropertyInvalidError, match="logRetentionDuration"):
        DatedLog(configuration={"delta.logRetentionDuration": "a while"}).clean()
