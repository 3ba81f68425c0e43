"""The very transaction code on a simulated store and clock: what writers are told, the log and a serial model agree."""

from __future__ import annotations

import pytest

from deltaresolver.transaction.isolation import IsolationLevel
from tests.simulation.exhaustive import explore_setting
from tests.simulation.run import Setting, run_seed
from tests.simulation.work import Kind

SEEDS = 2_000
FAST_SEEDS = 1_000
SEEDS_EACH = 250


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(first, marks=[pytest.mark.slow] if first >= FAST_SEEDS else [])
        for first in range(0, SEEDS, SEEDS_EACH)
    ],
)
def test_random_transactions_under_random_faults_keep_every_promise(first: int) -> None:
    endings: set[str] = set()
    for seed in range(first, first + SEEDS_EACH):
        endings |= set(run_seed(seed).endings)
    assert {"committed", "crashed", "CommitOutcomeUnknownError", "MetadataChangedError"} <= endings


@pytest.mark.parametrize("seed", [4, 21, 65, 97])
def test_a_seed_replays_exactly(seed: int) -> None:
    assert run_seed(seed) == run_seed(seed)


@pytest.mark.parametrize(
    "level",
    [
        IsolationLevel.SERIALIZABLE,
        pytest.param(IsolationLevel.WRITE_SERIALIZABLE, marks=pytest.mark.slow),
        pytest.param(IsolationLevel.SNAPSHOT, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    "works",
    [
        ((Kind.UPDATE, Kind.APPEND), (Kind.COPY, Kind.COPY), (Kind.APPEND_ONCE, Kind.DELETE)),
        ((Kind.METADATA, Kind.APPEND), (Kind.APPEND, Kind.DOMAIN), (Kind.DOMAIN, Kind.METADATA)),
        ((Kind.OPTIMIZE, Kind.APPEND), (Kind.DELETE, Kind.COPY), (Kind.CLEAR, Kind.APPEND_ONCE)),
    ],
    ids=["files", "metadata", "rewrites"],
)
def test_all_interleavings_of_three_writers_with_two_commits(
    level: IsolationLevel, works: tuple[tuple[Kind, ...], ...]
) -> None:
    interleavings, endings = explore_setting(Setting(level, works, keeps_handle=False))
    assert interleavings > 90  # those in which nobody loses a race
    assert endings["committed"] > interleavings


def test_all_interleavings_of_three_commits_with_all_losses_of_answers() -> None:
    works = ((Kind.APPEND,), (Kind.DELETE,), (Kind.APPEND_ONCE,))
    interleavings, endings = explore_setting(Setting(IsolationLevel.SERIALIZABLE, works), lost_replies=3)
    assert interleavings > 8 * 6
    assert endings["committed"] > interleavings
