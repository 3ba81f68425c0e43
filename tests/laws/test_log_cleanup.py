"""Law: a clean-up never takes away what a reader of any version that is still kept needs."""

from __future__ import annotations

import json
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.log.upkeep.cleanup import CleanUp, clean_up_log
from tests.laws.random_logs import RandomLog, random_logs

CATALOG = built_in_catalog()


class DatedStore(MemoryStore):
    """A store whose commits got the times that were drawn."""

    def __init__(self) -> None:
        self.now_ms = 0
        super().__init__(clock_ms=lambda: self.now_ms)


@st.composite
def dated_logs(draw: st.DrawFn) -> tuple[DatedStore, list[int]]:
    """A log, some of its checkpoints damaged, sound ones added; and when each version was committed."""
    log: RandomLog = draw(random_logs(damage=True))
    store, times = DatedStore(), draw(st.lists(st.integers(0, 9), min_size=8, max_size=8))
    for folder in ("_delta_log/", "_delta_log/_sidecars/"):
        for file in log.builder.store.list_from(folder):
            number = file.path.removeprefix(folder)[:20]
            store.now_ms = times[int(number)] if number.isdecimal() else 0
            store.put(file.path, log.builder.store.read(file.path))
    for table_version in draw(st.sets(st.integers(0, len(log.commits) - 1), max_size=3)):
        snapshot = DeltaLog(store).snapshot(table_version)
        write_checkpoint(snapshot, store, CATALOG, part_size=draw(st.none() | st.integers(1, 3)))
    moments: list[int] = []
    for table_version in range(len(log.commits)):
        moments.append(max([*(moment + 1 for moment in moments[-1:]), times[table_version]]))
    return store, moments


def states(store: LogStore, last: int) -> list[str | None]:
    """Every version's state, None for those that cannot be read."""
    found: list[str | None] = []
    for table_version in range(last + 1):
        try:
            snapshot = DeltaLog(store).snapshot(table_version)
            parts = [
                snapshot.protocol.to_json(),
                snapshot.metadata.to_json(),
                sorted(json.dumps(row, sort_keys=True) for row in snapshot.files().to_pylist()),
                sorted(snapshot.transactions),
                sorted(snapshot.domains),
            ]
            found.append(json.dumps(parts))
        except DeltaResolverError:
            found.append(None)
    return found


def everything(store: LogStore) -> list[str]:
    folders = ("_delta_log/", "_delta_log/_sidecars/")
    return [file.path for folder in folders for file in store.list_from(folder)]


@given(dated_logs(), st.integers(0, 12))
def test_every_version_from_the_cut_on_reads_as_before(dated: tuple[DatedStore, list[int]], cutoff: int) -> None:
    store, moments = dated
    last = len(moments) - 1
    before = states(store, last)
    done = clean_up_log(DeltaLog(store), 0, CATALOG, cutoff_ms=cutoff)
    first_kept = max([number for number, moment in enumerate(moments) if moment <= cutoff], default=0)
    assert states(store, last)[first_kept:] == before[first_kept:]
    assert done.kept_from is None or done.kept_from <= first_kept
    kept_from = done.kept_from or 0
    assert [commit_path(number) in everything(store) for number in range(last + 1)] == [
        number >= kept_from for number in range(last + 1)
    ]


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(dated_logs(), st.integers(0, 12))
def test_every_version_of_many_logs_reads_as_before(dated: tuple[DatedStore, list[int]], cutoff: int) -> None:
    test_every_version_from_the_cut_on_reads_as_before.hypothesis.inner_test(dated, cutoff)  # type: ignore[attr-defined]


@settings(deadline=None)
@given(dated_logs(), st.integers(0, 12))
def test_a_dry_run_says_what_a_clean_up_deletes(dated: tuple[DatedStore, list[int]], cutoff: int) -> None:
    store, _ = dated
    before = everything(store)
    said = clean_up_log(DeltaLog(store), 0, CATALOG, cutoff_ms=cutoff, dry_run=True)
    assert everything(store) == before
    done = clean_up_log(DeltaLog(store), 0, CATALOG, cutoff_ms=cutoff)
    assert done == said
    assert sorted(everything(store)) == sorted(set(before) - set(done.deleted))


@settings(deadline=None)
@given(dated_logs(), st.integers(0, 12), st.integers(0, 30))
def test_a_clean_up_that_is_killed_leaves_the_latest_version_readable(
    dated: tuple[DatedStore, list[int]], cutoff: int, survives: int
) -> None:
    store, moments = dated
    last = len(moments) - 1
    before = states(store, last)[last]
    deletions = count()

    class Killed(Exception):  # noqa: N818 - not an error of anybody's
        pass

    class DyingLog(DeltaLog):
        pass

    class DyingStore(DatedStore):
        def delete(self, path: str) -> None:
            if next(deletions) >= survives:
                raise Killed
            super().delete(path)

    store.__class__ = DyingStore
    try:
        found: CleanUp | None = clean_up_log(DyingLog(store), 0, CATALOG, cutoff_ms=cutoff)
    except Killed:
        found = None
    assert states(store, last)[last] == before
    assert found is None or len(found.deleted) <= survives
