"""The transaction code on a simulated store and clock: the answers to writers, the log and a serial model agree."""

from __future__ import annotations

import pytest

from tests.simulation.run import TORN_SEEDS, run_seed

SEEDS = 2_000
SEEDS_EACH = 250


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in range(SEEDS_EACH, SEEDS, SEEDS_EACH))]
)
def test_random_transactions_under_random_faults_keep_every_promise(first: int) -> None:
    endings: set[str] = set()
    for seed in range(first, first + SEEDS_EACH):
        endings |= set(run_seed(seed).endings)
    assert {"committed", "crashed", "CommitOutcomeUnknownError", "MetadataChangedError"} <= endings


@pytest.mark.slow
@pytest.mark.parametrize("first", [TORN_SEEDS, TORN_SEEDS + SEEDS_EACH])
def test_listings_that_lack_an_earlier_commit_and_show_a_later_one_do_no_harm(first: int) -> None:
    for seed in range(first, first + SEEDS_EACH):
        run_seed(seed)


@pytest.mark.parametrize("seed", [10_131, 20_099, 25_958])
def test_seeds_that_found_something_pass(seed: int) -> None:
    run_seed(seed)


@pytest.mark.parametrize("seed", [4, 21, 65, 97])
def test_a_seed_replays_exactly(seed: int) -> None:
    assert run_seed(seed) == run_seed(seed)
