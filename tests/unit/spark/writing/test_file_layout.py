"""How the data files of a table look, by its metadata."""

from __future__ import annotations

import pickle

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.model import Protocol
from deltaresolver.spark.writing.statistics.file_layout import layout_of
from tests.metadata_by_hand import column, table

CATALOG = delta_spark_catalog()


@pytest.mark.parametrize(
    ("properties", "tags"),
    [
        ({}, None),
        ({"delta.enableIcebergCompatV1": "true"}, None),
        ({"delta.enableIcebergCompatV2": "false"}, None),
        ({"delta.enableIcebergCompatV2": "true"}, {"ICEBERG_COMPAT_VERSION": "2"}),
        ({"delta.enableIcebergCompatV3": "true"}, {"ICEBERG_COMPAT_VERSION": "3"}),
    ],
)
def test_files_that_iceberg_readers_can_follow_are_marked_so(
    properties: dict[str, str], tags: dict[str, str] | None
) -> None:
    layout = layout_of(table(properties, column("id", "long")), Protocol(2, 6), CATALOG)
    assert layout.tags == tags
    # Tasks on other machines get the layout.
    assert pickle.loads(pickle.dumps(layout)) == layout
