"""A little of the fuzzer, every time: the cases it has found, and a moment of each target."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.case import CORPUS, from_text
from tests.fuzz.law import hold
from tests.fuzz.planted import PLANTED
from tests.fuzz.run import Run
from tests.fuzz.targets import TARGETS

KEPT = sorted(CORPUS.glob("*/*.json"))


@pytest.mark.parametrize("file", KEPT, ids=lambda file: f"{file.parent.name} {file.stem}")
def test_cases_that_once_broke_the_law_keep_it(file: Path) -> None:
    breach = hold(TARGETS[file.parent.name], from_text(file.read_text(encoding="utf-8")))
    assert breach is None, breach.told


def test_every_case_of_the_corpus_is_of_a_target() -> None:
    assert {file.parent.name for file in KEPT} <= TARGETS.keys()


@pytest.mark.slow
def test_a_moment_of_each_target_keeps_the_law() -> None:
    assert [(seed, breach.told) for seed, breach in Run(",".join(TARGETS), 0, 0.1)] == []


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_ten_seconds_of_other_cases_keep_the_law(target: str) -> None:
    assert [(seed, breach.told) for seed, breach in Run(target, 1_000_000, 10.0)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_a_bug_that_is_put_in_is_found(name: str) -> None:
    assert next(iter(Run(PLANTED[name][0], 0, 120.0, name)), None) is not None


def test_a_case_is_the_same_each_time() -> None:
    for target in TARGETS.values():
        assert target.case(7) == target.case(7)
