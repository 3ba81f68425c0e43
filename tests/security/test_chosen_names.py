"""Names of files that are chosen so that their fingerprints collide, or take very long to compute."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from deltaresolver.log.checkpoint import spark_hash
from deltaresolver.log.checkpoint.spark_hash import hash_texts
from deltaresolver.log.columnar.fast.fingerprint import fingerprint, unforeseen_seed
from deltaresolver.log.columnar.fast.seen_fingerprints import SeenPrints
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from tests.logs import add, remove
from tests.security.tables import commit, log_of

SECONDS = 5.0
"""Of processor time for what takes milliseconds; each attack took that much and more."""


def meeting_names() -> list[tuple[str, str]]:
    """Pairs of names, of which half have one fingerprint under a seed, whichever of the small ones it is.

    A bit at the top of the first word turns the same bits of what is mixed with the second one in half of all cases,
    and the second word turns them back.
    """
    starts = [f"{number:07d}" for number in range(40)]
    return [
        pair
        for start in starts
        for pair in ((f"{start}abbbbabba", f"{start}!bbbbcbb!"), (f"{start}!bbbbabba", f"{start}abbbbcbb!"))
    ]


def distinct_prints(names: list[tuple[str, str]], seed: int) -> int:
    found = [fingerprint(pa.array(side), seed) for side in zip(*names, strict=True)]
    return int((found[0] != found[1]).sum())


def test_names_whose_fingerprints_collide_are_told_apart(tmp_path: Path) -> None:
    names = meeting_names()
    assert all(distinct_prints(names, seed) < len(names) for seed in range(8))
    assert distinct_prints(names, unforeseen_seed()) == len(names)
    log = log_of(tmp_path)
    commit(log, 1, *(add(one) for one, _ in names))
    early = DeltaLog(LocalStore(tmp_path)).snapshot()
    assert early.files().num_rows == len(names)
    commit(log, 2, *(add(other) for _, other in names))
    wanted = sorted(name for pair in names for name in pair)
    opened = DeltaLog(LocalStore(tmp_path))
    assert sorted(opened.snapshot().files().column("path").to_pylist()) == wanted
    commit(log, 3, *(remove(one) for one, _ in names))
    left = sorted(other for _, other in names)
    assert sorted(opened.snapshot().files().column("path").to_pylist()) == left
    assert sorted(DeltaLog(LocalStore(tmp_path)).snapshot().files().column("path").to_pylist()) == left


def test_fingerprints_with_the_same_beginning_cost_no_more_than_others() -> None:
    prints = np.arange(200_000, dtype=np.uint64)
    seen = SeenPrints()
    began = time.process_time()
    seen.add(prints)
    assert seen.holds(prints).all()
    assert not seen.holds(prints + np.uint64(len(prints))).any()
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize("seed", [0, 1, pytest.param(unforeseen_seed(), id="unforeseen")])
def test_a_long_name_has_the_fingerprint_of_its_text_alone(seed: int) -> None:
    names = ["a" * 5000, "b", "a" * 5000, "a" * 4999, None, "a" * 4096, "a" * 4999 + "b", ""]
    together = fingerprint(pa.array(names), seed)
    apart = np.concatenate([fingerprint(pa.array([name], pa.string()), seed) for name in names])
    assert together.tolist() == apart.tolist()
    assert len({*together[[0, 1, 3, 5, 6, 7]].tolist()}) == 6
    assert together[0] == together[2]


@pytest.mark.parametrize("megabytes", [1, 20])
def test_a_name_or_an_inline_vector_of_megabytes_takes_time_by_its_length_alone(tmp_path: Path, megabytes: int) -> None:
    log = log_of(tmp_path)
    long = "n" * (megabytes << 20)
    vector = {"storageType": "i", "pathOrInlineDv": long, "sizeInBytes": 40, "cardinality": 1}
    commit(log, 1, add("one", deletionVector=vector), add(long), add("three"))
    began = time.process_time()
    snapshot = DeltaLog(LocalStore(tmp_path)).snapshot()
    assert snapshot.files().num_rows == 3
    assert time.process_time() - began < SECONDS


def test_parts_of_a_checkpoint_take_a_long_name_as_spark_does() -> None:
    """Hashed by itself or side by side with others, it is the same."""
    names = pa.array(["x" * 4095, "äb" * 1365 + "c", "y" * 4096, "z" * 4103, "z" * 4101 + "ä", "short", ""])
    seeds = np.full(len(names), 42, np.uint32)
    found = hash_texts(names, seeds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spark_hash, "_MANY_WORDS", 1 << 30)
        assert hash_texts(names, seeds).tolist() == found.tolist()
    began = time.process_time()
    hash_texts(pa.array(["n" * (4 << 20)]), seeds[:1])
    assert time.process_time() - began < SECONDS
