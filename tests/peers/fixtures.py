"""The peers as pytest fixtures.

A test module makes them known with `pytest_plugins = ["tests.peers.fixtures"]` and marks its tests `peer`.
"""

import pytest

from tests.peers.delta_spark import DeltaSpark, start_delta_spark
from tests.peers.skipping import skip_or_fail


@pytest.fixture(scope="session")
def delta_spark() -> DeltaSpark:
    """The real delta-spark; skips with the reason where it cannot run, and fails there when CI=true."""
    with skip_or_fail():
        return start_delta_spark()
