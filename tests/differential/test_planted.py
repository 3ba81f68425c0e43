"""Bugs can be put in, and are gone afterwards; recorded runs say that programs find them."""

from __future__ import annotations

import pytest

from deltaresolver.log.log import DeltaLog
from tests.differential.planted import PLANTED, plant


@pytest.mark.parametrize("name", PLANTED)
def test_a_bug_is_put_in_and_gone_again(name: str) -> None:
    before = DeltaLog.snapshot
    with pytest.MonkeyPatch.context() as patch:
        plant(name, patch)
        assert patch._setattr
    assert DeltaLog.snapshot is before
