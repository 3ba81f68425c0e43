"""icebergCompatV3: data and metadata are written so that the table can be read as Iceberg, by rules of version 3.

Version 3 requires row ids, like version 3 of Iceberg itself.
"""

from __future__ import annotations

from deltaresolver.features.behaviour.iceberg_compat import GEOSPATIAL, IcebergCompatBehaviour, is_plain
from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.model.schema import DataType, base_type
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl


class IcebergCompatV3Behaviour(IcebergCompatBehaviour):
    """The rules of version 3."""

    number = 3
    needs_row_tracking = True
    needs_literal_defaults = True
    allows_deletion_vectors = True

    def unknown_to_readers(self, data_type: DataType) -> bool:
        """Everything but plain and nested types, variants and geospatial types."""
        newer = isinstance(data_type, str) and base_type(data_type) in GEOSPATIAL | {"variant"}
        return not newer and not is_plain(data_type)


@hookimpl
def table_feature() -> TableFeature:
    """Declare icebergCompatV3."""
    return TableFeature(
        name="icebergCompatV3",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="The table is written so that it can be read as Iceberg (rules of version 3).",
        spec_url="https://github.com/delta-io/delta/blob/master/protocol_rfcs/iceberg-compat-v3.md",
        requires={"columnMapping", "rowTracking"},
        trigger=PropertyIsTrue("delta.enableIcebergCompatV3"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        behaviour=IcebergCompatV3Behaviour(),
        support=Support(),
    )
