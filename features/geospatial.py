"""geospatial: columns can hold geometries and geographies.

Its trigger does not fire where the development preview is supported already.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.rules import AllOf, SchemaHasType, UnlessSupported
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare geospatial."""
    return TableFeature(
        name="geospatial",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Columns can hold geometries and geographies.",
        spec_url="https://github.com/delta-io/delta/blob/master/spark/src/main/scala/org/apache/spark/sql/delta/TableFeature.scala",
        trigger=AllOf((SchemaHasType(("geometry", "geography")), UnlessSupported(("geospatial-dev",)))),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        removal=Removal(protects_history=True),
        support=Support(read=SAFE),
    )
