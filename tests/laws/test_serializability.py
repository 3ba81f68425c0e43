"""What a committed transaction read is what it would have read right before its own commit.

Transactions begin, read and commit in a random order. Whoever commits must find, in the version before its own,
exactly the files it read: then doing all commits one after another gives the same table. Under WriteSerializable
the files of blind appends may come in between; under snapshot isolation only files it removes must still be there.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import ConcurrentModificationError
from deltaresolver.log.log import DeltaLog
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.transactions import Scene, add, remove

PARTITIONS = "abc"
PREDICATES = {
    None: PARTITIONS,
    "p = 'a'": "a",
    "p IN ('a', 'b')": "ab",
    "p > 'a'": "bc",
    "upper(p) = 'C'": "c",
    "p = 'a' AND id < 5": PARTITIONS,
}
"""Predicate, and the partitions it is about as far as conflicts go: a mixed one is about all."""


@attrs.frozen
class Plan:
    """One transaction: what it reads, and what it does with what it read."""

    predicate: str | None
    reads: bool
    rewrites: bool
    partition: str


PLANS = st.builds(Plan, st.sampled_from(list(PREDICATES)), st.booleans(), st.booleans(), st.sampled_from(PARTITIONS))


@attrs.define
class Running:
    """A transaction under way."""

    plan: Plan
    transaction: OptimisticTransaction
    read: dict[str, AddFile] = attrs.field(factory=dict)

    def begin(self) -> None:
        if self.plan.reads:
            found = self.transaction.filter_files(*([] if self.plan.predicate is None else [self.plan.predicate]))
            self.read = {file.path: file for file in found}

    def commit(self, name: str) -> int | None:
        """The version, or None after a conflict."""
        actions: list[Action] = [add(f"new-{name}", self.plan.partition)]
        if self.plan.rewrites:
            actions += [remove(path, file.partition_values["p"]) for path, file in self.read.items()]
        kind = operations.with_predicate("UPDATE") if self.plan.reads else operations.write()
        try:
            return self.transaction.commit(actions, kind)
        except ConcurrentModificationError:
            return None


def live(scene: Scene, version: int, partitions: str) -> set[str]:
    files = DeltaLog(scene.store).snapshot(version).add_actions()
    return {file.path for file in files if (file.partition_values["p"] or "") in partitions}


def run(plans: Sequence[Plan], order: Sequence[int], isolation: str) -> tuple[Scene, dict[int, Running]]:
    """Each index comes twice in `order`: at the first the transaction begins, at the second it commits."""
    scene = Scene()
    scene.create()
    metadata = scene.snapshot().metadata.with_configuration({"delta.isolationLevel": isolation})
    scene.begin().commit([metadata], operations.manual_update())
    scene.append(*(add(f"old-{partition}", partition) for partition in PARTITIONS))
    under_way: dict[int, Running] = {}
    committed: dict[int, Running] = {}
    for index in order:
        if index not in under_way:
            under_way[index] = Running(plans[index], scene.begin())
            under_way[index].begin()
        else:
            version = under_way[index].commit(str(index))
            if version is not None:
                committed[version] = under_way[index]
    return scene, committed


@st.composite
def schedules(draw: st.DrawFn) -> tuple[list[Plan], list[int]]:
    plans = draw(st.lists(PLANS, min_size=2, max_size=4))
    order = draw(st.permutations([index for index in range(len(plans)) for _ in range(2)]))
    return plans, order


@given(schedules())
def test_serializable_commits_could_have_run_one_after_another(schedule: tuple[list[Plan], list[int]]) -> None:
    scene, committed = run(*schedule, isolation="Serializable")
    for version, running in committed.items():
        if running.plan.reads:
            about = PREDICATES[running.plan.predicate]
            seen = {path for path, file in running.read.items() if (file.partition_values["p"] or "") in about}
            assert live(scene, version - 1, about) == seen


@given(schedules())
def test_write_serializable_commits_miss_blind_appends_at_most(schedule: tuple[list[Plan], list[int]]) -> None:
    scene, committed = run(*schedule, isolation="WriteSerializable")
    blind = {f"new-{index}" for index, plan in enumerate(schedule[0]) if not plan.reads}
    for version, running in committed.items():
        if running.plan.reads:
            about = PREDICATES[running.plan.predicate]
            missed = live(scene, version - 1, about) ^ set(running.read)
            assert missed <= blind


@given(schedules(), st.sampled_from(["Serializable", "WriteSerializable", "SnapshotIsolation"]))
def test_no_file_is_ever_removed_twice(schedule: tuple[list[Plan], list[int]], isolation: str) -> None:
    scene, committed = run(*schedule, isolation=isolation)
    for version, running in committed.items():
        if running.plan.rewrites:
            assert set(running.read) <= live(scene, version - 1, PARTITIONS)


@given(schedules())
def test_transactions_one_after_another_never_conflict(schedule: tuple[list[Plan], list[int]]) -> None:
    plans, _ = schedule
    order = [index for index in range(len(plans)) for _ in range(2)]
    _, committed = run(plans, order, "Serializable")
    assert len(committed) == len(plans)
