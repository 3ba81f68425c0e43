"""icebergCompatV1: data and metadata are written so that the table can be read as Iceberg, by rules of version 1.

Version 1 forbids deletion vectors and columns of type array, map or void.
"""

from __future__ import annotations

from deltaresolver.features.behaviour.iceberg_compat import GEOSPATIAL, IcebergCompatBehaviour
from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.model.schema import ArrayType, DataType, MapType, base_type
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl


class IcebergCompatV1Behaviour(IcebergCompatBehaviour):
    """The rules of version 1."""

    number = 1

    def unknown_to_readers(self, data_type: DataType) -> bool:
        """Collections, void and geospatial types."""
        if isinstance(data_type, str):
            return base_type(data_type) in GEOSPATIAL | {"void"}
        return isinstance(data_type, (ArrayType, MapType))


@hookimpl
def table_feature() -> TableFeature:
    """Declare icebergCompatV1."""
    return TableFeature(
        name="icebergCompatV1",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="The table is written so that it can be read as Iceberg (rules of version 1).",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#iceberg-compatibility-v1",
        requires={"columnMapping"},
        trigger=PropertyIsTrue("delta.enableIcebergCompatV1"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        behaviour=IcebergCompatV1Behaviour(),
        support=Support(),
    )
