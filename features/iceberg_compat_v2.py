"""icebergCompatV2: data and metadata are written so that the table can be read as Iceberg, by rules of version 2.

Version 2 allows nested types, whose inner fields get ids as well.
"""

from __future__ import annotations

from deltaresolver.features.behaviour.iceberg_compat import IcebergCompatBehaviour, is_plain
from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.model.schema import DataType
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl


class IcebergCompatV2Behaviour(IcebergCompatBehaviour):
    """The rules of version 2."""

    number = 2

    def unknown_to_readers(self, data_type: DataType) -> bool:
        """Everything but plain and nested types."""
        return not is_plain(data_type)


@hookimpl
def table_feature() -> TableFeature:
    """Declare icebergCompatV2."""
    return TableFeature(
        name="icebergCompatV2",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="The table is written so that it can be read as Iceberg (rules of version 2).",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#iceberg-compatibility-v2",
        requires={"columnMapping"},
        trigger=PropertyIsTrue("delta.enableIcebergCompatV2"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        behaviour=IcebergCompatV2Behaviour(),
        support=Support(),
    )
