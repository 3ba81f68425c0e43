"""The peers as pytest fixtures.

A test module makes them known with `pytest_plugins = ["tests.peers.fixtures"]` and marks its tests `peer`.
"""

from collections.abc import Iterator

import pytest

from tests.peers.delta_spark import DeltaSpark, start_delta_spark
from tests.peers.skipping import skip_or_fail


@pytest.fixture(scope="session")
def delta_spark() -> DeltaSpark:
    """The real delta-spark; skips with the reason where it cannot run, and fails there when CI=true."""
    with skip_or_fail():
        return start_delta_spark()


@pytest.fixture(scope="module")
def small_delta_spark(delta_spark: DeltaSpark) -> Iterator[DeltaSpark]:
    """The same session, tuned for tables of a few rows: one task for each step, also for a look at a log."""
    conf = delta_spark.spark.conf
    keys = ("spark.sql.shuffle.partitions", "spark.databricks.delta.snapshotPartitions")
    before = {key: str(conf.get(key)) for key in keys}
    for key in keys:
        conf.set(key, "1")
    yield delta_spark
    for key, value in before.items():
        conf.set(key, value)
