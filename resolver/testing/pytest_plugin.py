"""A fixture for tests of your own features; pytest finds it through its entry point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deltaresolver import testing

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def check_feature() -> Callable[..., None]:
    """The compliance kit; see `deltaresolver.testing.check_feature`."""
    return testing.check_feature
