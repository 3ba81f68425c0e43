"""Bugs can be planted, and are gone afterwards; recorded runs show that programs find them."""

from __future__ import annotations

import pytest

from deltaresolver.log.log import DeltaLog
from tests.differential.generator import draw_program
from tests.differential.meeting import MEETS, can_meet
from tests.differential.planted import PLANTED, WIDE, plant


def test_programs_that_can_meet_a_bug_are_among_the_first() -> None:
    plain, wide = ([draw_program(seed, is_wide=is_wide) for seed in range(60)] for is_wide in (False, True))
    assert set(MEETS) <= set(PLANTED)
    assert {
        name for name in PLANTED if not any(can_meet(name, program) for program in (wide if name in WIDE else plain))
    } == set()


@pytest.mark.parametrize("name", PLANTED)
def test_a_bug_is_put_in_and_gone_again(name: str) -> None:
    before = DeltaLog.snapshot
    with pytest.MonkeyPatch.context() as patch:
        plant(name, patch)
        assert patch._setattr
    assert DeltaLog.snapshot is before
