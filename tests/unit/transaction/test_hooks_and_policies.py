"""What follows a commit never undoes it, and what a policy forbids is never written."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import attrs
import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import (
    LogError,
    PolicyRefusedError,
    PostCommitError,
    TransactionStateError,
)
from deltaresolver.log.checksum import find_valid_checksum
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.actions import Action
from deltaresolver.model.operation import Operation
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.commit.committed import Committed
from deltaresolver.transaction.hooks import CheckpointAtInterval, WriteChecksum
from deltaresolver.transaction.policies import NoUnaskedProtocolRise
from deltaresolver.transaction.starter import TransactionStarter
from tests.transactions import Scene, add, remove


@attrs.define
class Noting:
    """A hook that notes when it runs, and may fail."""

    name: str
    seen: list[str]
    fails: bool = False

    def run(self, committed: Committed) -> None:
        self.seen.append(f"{self.name} {committed.table_version}")
        if self.fails:
            raise OSError("no space")

    def handle_error(self, error: Exception, table_version: int) -> None:
        self.seen.append(f"{self.name} told {type(error).__name__} {table_version}")


def test_hooks_run_in_order_and_one_that_fails_stops_neither_the_commit_nor_the_next(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene()
    scene.create()
    seen: list[str] = []
    transaction = scene.begin(hooks=[Noting("first", seen, fails=True)])
    transaction.register_post_commit_hook(Noting("second", seen))
    assert transaction.commit([add("f")], operations.write()) == 1
    assert seen == ["first 1", "first told OSError 1", "second 1"]
    (record,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert record.message == "Error when executing post-commit hook first for commit 1"


def test_a_hook_may_commit_itself() -> None:
    scene = Scene()
    scene.create()

    @attrs.define
    class Following:
        name: str = "following"

        def run(self, committed: Committed) -> None:
            scene.append(add(f"after-{committed.table_version}"))

        def handle_error(self, error: Exception, table_version: int) -> None:
            raise error

    scene.begin(hooks=[Following()]).commit([add("f")], operations.write())
    assert scene.snapshot().table_version == 2


def test_hooks_wait_for_the_commit() -> None:
    scene = Scene()
    scene.create()
    with pytest.raises(TransactionStateError, match=r"(?m)^Can't call post commit hooks before committing$"):
        scene.begin().run_post_commit_hooks()


def test_a_checkpoint_is_due_at_the_interval_and_its_failure_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene()
    scene.create({"delta.checkpointInterval": "3"})
    written: list[int] = []

    def write(snapshot: Snapshot) -> None:
        written.append(snapshot.table_version)
        if snapshot.table_version == 6:
            raise LogError("It did not work.")

    for number in range(7):
        scene.begin(hooks=[CheckpointAtInterval(write)], checkpoints=False).commit(
            [add(f"f{number}")], operations.write()
        )
    assert written == [3, 6]
    assert [record.message for record in caplog.records] == ["Failed to checkpoint table state."]


def test_a_checkpoint_is_written_without_being_asked_for() -> None:
    scene = Scene()
    scene.create({"delta.checkpointInterval": "4"})
    for number in range(5):
        scene.append(add(f"f{number}"))
    checkpoint = scene.snapshot().segment.checkpoint
    assert checkpoint is not None
    assert checkpoint.table_version == 4
    assert {file.path for file in scene.snapshot().add_actions()} == {f"f{number}" for number in range(5)}


def test_an_interval_that_is_not_a_number_is_a_warning_too(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene()
    scene.create({"delta.checkpointInterval": "often"})
    scene.append(add("f"))
    assert [record.message for record in caplog.records] == ["Failed to checkpoint table state."]


def test_a_protocol_does_not_rise_unasked_where_a_policy_forbids_it() -> None:
    scene = Scene()
    scene.create()
    transaction = scene.begin(policies=[NoUnaskedProtocolRise()])
    transaction.update_metadata(transaction.metadata.with_configuration({"delta.enableDeletionVectors": "true"}))
    with pytest.raises(PolicyRefusedError) as caught:
        transaction.commit([], operations.set_properties({"delta.enableDeletionVectors": "true"}))
    assert caught.value.details["features"] == ["deletionVectors"]
    assert "delta.feature.deletionVectors" in caught.value.fix
    assert scene.snapshot().table_version == 0


def test_a_protocol_rises_when_that_is_asked_for() -> None:
    scene = Scene()
    scene.create()
    transaction = scene.begin(policies=[NoUnaskedProtocolRise()])
    asked = {"delta.enableDeletionVectors": "true", "delta.feature.deletionVectors": "supported"}
    transaction.update_metadata(transaction.metadata.with_configuration(asked))
    assert transaction.commit([], operations.set_properties(asked)) == 1


def manifests(scene: Scene) -> dict[str, list[str]]:
    """The manifests of the partitions a and b, by path."""
    found = {}
    for partition in "ab":
        for file in scene.store.list_from(f"_symlink_format_manifest/p={partition}/"):
            found[file.path] = scene.store.read(file.path).decode().splitlines()
    return found


def test_symlink_manifests_follow_every_commit_of_a_table_that_keeps_them() -> None:
    scene = Scene()
    scene.create({"delta.compatibility.symlinkFormatManifest.enabled": "true"})
    scene.append(add("p=a/f%201"), add("p=a/g"), add("p=b/h", "b"))
    assert manifests(scene) == {
        "_symlink_format_manifest/p=a/manifest": ["memory:table/p=a/f 1", "memory:table/p=a/g"],
        "_symlink_format_manifest/p=b/manifest": ["memory:table/p=b/h"],
    }
    scene.begin().commit([remove("p=a/g"), remove("p=b/h", "b")], operations.with_predicate("DELETE"))
    assert manifests(scene) == {"_symlink_format_manifest/p=a/manifest": ["memory:table/p=a/f 1"]}


class NoManifests(MemoryStore):
    """A table in memory beside which no manifest can be put."""

    def put(self, path: str, data: bytes) -> None:
        if path.startswith("_symlink"):
            raise LogError("no space", fix="Make room.")
        super().put(path, data)


def test_a_manifest_that_cannot_be_written_is_an_error_after_a_commit_that_stands() -> None:
    scene = Scene(NoManifests())
    scene.create({"delta.compatibility.symlinkFormatManifest.enabled": "true", "delta.checkpointInterval": "1"})
    seen: list[str] = []
    with pytest.raises(PostCommitError) as caught:
        scene.begin(hooks=[Noting("other", seen)]).commit([add("f")], operations.write())
    assert caught.value.delta_condition == "DELTA_POST_COMMIT_HOOK_FAILED"
    assert scene.snapshot().table_version == 1
    assert DeltaLog(scene.store).snapshot().segment.checkpoint is not None
    assert seen == ["other 1"]


def test_a_hook_whose_error_is_raised_costs_neither_the_checkpoint_nor_another_hook() -> None:
    @attrs.define
    class Raising:
        name: str = "raising"

        def run(self, committed: Committed) -> None:
            raise OSError("no space")

        def handle_error(self, error: Exception, table_version: int) -> None:
            raise error

    scene = Scene()
    scene.create({"delta.checkpointInterval": "1"})
    seen: list[str] = []
    with pytest.raises(OSError, match="no space"):
        scene.begin(hooks=[Raising(), Noting("other", seen)]).commit([add("f")], operations.write())
    assert seen == ["other 1"]
    assert DeltaLog(scene.store).snapshot().segment.checkpoint is not None


def test_a_hook_that_is_registered_twice_runs_once() -> None:
    scene = Scene()
    scene.create()
    seen: list[str] = []
    hook = Noting("once", seen)
    transaction = scene.begin(hooks=[hook, hook])
    transaction.register_post_commit_hook(hook)
    transaction.commit([add("f")], operations.write())
    assert seen == ["once 1"]


class LaggingStore(MemoryStore):
    """A table in memory whose listings lack the last commit once they lag."""

    lags = False

    def list_from(self, path: str) -> Iterator[StoredFile]:
        found = list(super().list_from(path))
        return iter(found[:-1] if self.lags and "_delta_log/" in path else found)


def test_a_commit_that_the_storage_does_not_list_is_an_error_and_stands() -> None:
    store = LaggingStore()
    scene = Scene(store)
    scene.create()
    transaction = scene.begin()
    store.lags = True
    sentence = r"^The committed version is 1 but the current version is 0\.$"
    with pytest.raises(PostCommitError, match=f"(?m){sentence}") as caught:
        transaction.commit([add("f")], operations.write())
    assert caught.value.delta_class == "IllegalStateException"
    assert transaction.committed is not None
    store.lags = False
    assert scene.snapshot().table_version == 1


def test_checksums_count_on_from_commit_to_commit() -> None:
    scene = Scene()
    scene.create({"delta.enableInCommitTimestamps": "true"})
    hook = WriteChecksum()
    commits: list[tuple[list[Action], Operation]] = [
        ([add("f"), add("g", "b")], operations.write()),
        ([attrs.evolve(remove("f"), size=100), add("h")], operations.with_predicate("UPDATE")),
        ([add("g", "b")], operations.with_predicate("COMPUTE STATS")),
        ([remove("g", "b")], operations.with_predicate("DELETE")),
    ]
    for actions, operation in commits:
        scene.begin(hooks=[hook]).commit(actions, operation)
        snapshot = scene.snapshot()
        checksum = find_valid_checksum(scene.store, snapshot.segment)
        assert checksum is not None
        assert checksum.file_count == len(snapshot.files())
        assert checksum.total_bytes == 100 * len(snapshot.files())
        assert checksum.metadata == snapshot.metadata
        assert checksum.in_commit_timestamp == snapshot.timestamp_ms


def test_a_started_transaction_makes_one_checkpoint_at_the_interval_and_a_dry_run_none() -> None:
    scene = Scene()
    scene.create({"delta.checkpointInterval": "2", "delta.checkpointPolicy": "v2"})
    starter = TransactionStarter(DeltaLog(scene.store), delta_spark_catalog(), clock=scene.clock, new_id=scene.new_id)
    for number in range(2):
        starter.pretending().start().commit([add(f"dry{number}")], operations.write())
        starter.start().commit([add(f"f{number}")], operations.write())
    names = [file.path for file in scene.store.list_from("_delta_log/") if ".checkpoint." in file.path]
    assert len(names) == 1, names
