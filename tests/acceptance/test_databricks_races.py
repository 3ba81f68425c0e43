"""What Databricks documents about protocol changes, in real races: a writer in flight while another thread alters.

The page: "All protocol change operations conflict with concurrent writes." The open-source rules let a writer carry on
where the new feature does not concern what it wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from deltaresolver.defaults import default_catalog
from deltaresolver.errors import ProtocolChangedError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from tests.transactions import SCHEMA, add

Change = Callable[[Table], object]
EMPTY: Mapping[str, str] = {}
CHANGES: dict[str, Change] = {
    "deletion vectors": lambda table: table.alter({"delta.enableDeletionVectors": "true"}),
    "mapping by name": lambda table: table.alter({"delta.columnMapping.mode": "name"}),
    "V2 checkpoints": lambda table: table.alter({"delta.checkpointPolicy": "v2"}),
}


def race(path: Path, catalog: FeatureCatalog, change: Change, properties: Mapping[str, str] = EMPTY) -> int:
    """An append that has read the table before the change and commits after it; the version it gets."""
    Table.create(path, SCHEMA, properties=properties, catalog=catalog)
    has_read, has_changed = Barrier(2, timeout=60), Barrier(2, timeout=60)

    def write() -> int:
        transaction = Table(path, catalog=catalog).start_transaction()
        has_read.wait()
        has_changed.wait()
        return transaction.commit([add("f", partition_values={})], operations.write())

    def alter() -> None:
        has_read.wait()
        change(Table(path, catalog=catalog))
        has_changed.wait()

    with ThreadPoolExecutor(2) as threads:
        written, altered = threads.submit(write), threads.submit(alter)
        altered.result()
        return written.result()


@pytest.mark.parametrize("change", CHANGES)
def test_a_writer_in_flight_fails_with_the_profile_and_carries_on_without(change: str, tmp_path: Path) -> None:
    assert race(tmp_path / "open", default_catalog(), CHANGES[change]) == 2
    with pytest.raises(ProtocolChangedError, match="changed"):
        race(tmp_path / "databricks", default_catalog("databricks"), CHANGES[change])
    assert Table(tmp_path / "databricks").snapshot().table_version == 1


def test_dropping_a_feature_makes_a_writer_in_flight_fail_under_both_sets_of_rules(tmp_path: Path) -> None:
    for profile in (None, "databricks"):
        with pytest.raises(ProtocolChangedError):
            race(
                tmp_path / str(profile),
                default_catalog(profile),
                lambda table: table.drop_feature("domainMetadata"),
                {"delta.feature.domainMetadata": "supported"},
            )
