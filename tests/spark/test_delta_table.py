"""DeltaTable: a table under the names of delta.tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import TableNotFoundError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_a_table_is_opened_by_its_path(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    assert not ds.DeltaTable.isDeltaTable(spark, path)
    with pytest.raises(TableNotFoundError):
        ds.DeltaTable.forPath(spark, path)
    ds.write(spark.range(4).selectExpr("id", "id % 2 p").coalesce(1), path, partition_by="p")
    table = ds.DeltaTable.forPath(spark, path)
    assert ds.DeltaTable.isDeltaTable(spark, path)
    table.delete("id = 3")
    table.setProperties({"delta.enableDeletionVectors": "true"})
    table.addFeatureSupport("domainMetadata")
    assert sorted(row.id for row in table.toDF().collect()) == [0, 1, 2]
    assert [entry.operation for entry in table.history().collect()][2:] == ["DELETE", "WRITE"]
    (detail,) = table.detail().collect()
    assert (detail.format, detail.id, detail.location) == ("delta", table.table.metadata.id, f"file:{path}")
    assert (detail.partitionColumns, detail.clusteringColumns, detail.numFiles) == (["p"], [], 2)
    assert detail.sizeInBytes == sum(add.size for add in table.table.snapshot().add_actions())
    assert detail.properties == {"delta.enableDeletionVectors": "true"}
    assert (detail.minReaderVersion, detail.minWriterVersion) == (3, 7)
    assert {"deletionVectors", "domainMetadata", "appendOnly", "invariants"} <= set(detail.tableFeatures)
    assert detail.createdAt <= detail.lastModified
    table.unsetProperties(["delta.enableDeletionVectors"])
    assert table.detail().collect()[0].properties == {}
