"""What `format("deltaresolver")` leaves of a table's layout, and what writes of nothing leave: called without a JVM."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.table import Table
from tests.differential.program import Column, Rows
from tests.differential.worker_source import WorkerSource

pytest.importorskip("pyspark")

KEY, VALUE = Column("id", "BIGINT"), Column("v", "BIGINT")
ROWS = Rows((KEY, VALUE), ((1, 2), (3, 4)))
NOTHING = Rows((KEY, VALUE), ())


def clustering(path: Path) -> str:
    return Table(path).snapshot().domains["delta.clustering"].configuration


def test_an_overwrite_leaves_clustering_alone_and_one_of_the_schema_ends_it(tmp_path: Path) -> None:
    source = WorkerSource(str(tmp_path), "UTC")
    source.write(ROWS, {}, overwrite=False)
    Table(tmp_path).cluster_by("id")
    source.write(ROWS, {}, overwrite=True)
    assert '[["id"]]' in clustering(tmp_path)
    for _ in range(2):
        source.write(Rows((VALUE,), ((5,),)), {"overwriteSchema": "true"}, overwrite=True)
        assert '"clusteringColumns":[]' in clustering(tmp_path)
    assert Table(tmp_path).snapshot().table_version == 4


def test_a_write_that_adds_no_row_and_replaces_none_leaves_no_version(tmp_path: Path) -> None:
    source = WorkerSource(str(tmp_path), "UTC")
    source.write(NOTHING, {}, overwrite=False)
    source.write(NOTHING, {}, overwrite=False)
    source.write(NOTHING, {}, overwrite=True)
    assert Table(tmp_path).snapshot().table_version == 0, "the table was created, and nothing else"
    source.write(ROWS, {}, overwrite=False)
    source.write(NOTHING, {}, overwrite=True)
    assert Table(tmp_path).snapshot().table_version == 2, "rows were replaced by none"
