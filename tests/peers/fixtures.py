"""The peers as pytest fixtures.

A test module makes them known with `pytest_plugins = ["tests.peers.fixtures"]` and marks its tests `peer`.
"""

from collections.abc import Iterator

import pytest

from tests.peers.delta_spark import DeltaSpark, start_delta_spark
from tests.peers.skipping import skip_or_fail

FOR_FEW_ROWS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}

_LISTING = ("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2")
"""VACUUM of delta-spark makes as many tasks, 10,000 by default, whatever it finds: half a minute for a few files."""


@pytest.fixture(scope="session")
def delta_spark() -> DeltaSpark:
    """The real delta-spark; skips with the reason where it cannot run, and fails there when CI=true."""
    with skip_or_fail():
        found = start_delta_spark()
    found.spark.conf.set(*_LISTING)
    return found


@pytest.fixture(scope="module")
def small_delta_spark(delta_spark: DeltaSpark) -> Iterator[DeltaSpark]:
    """The same session, tuned for tables of a few rows: one task for each step, and no code generated for any."""
    conf = delta_spark.spark.conf
    before = {key: conf.get(key, None) for key in FOR_FEW_ROWS}
    for key, value in FOR_FEW_ROWS.items():
        conf.set(key, value)
    yield delta_spark
    for key, earlier in before.items():
        if earlier is None:
            conf.unset(key)
        else:
            conf.set(key, earlier)
