"""geospatial-dev: the development name of geospatial, kept so that tables which carry it stay usable.

It is added only when asked for by name.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Maturity, Removal, TableFeature
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare geospatial-dev."""
    return TableFeature(
        name="geospatial-dev",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Development preview of geospatial.",
        spec_url="https://github.com/delta-io/delta/blob/master/spark/src/main/scala/org/apache/spark/sql/delta/TableFeature.scala",
        aborts_concurrent_writers=True,
        removal=Removal(protects_history=True),
        maturity=Maturity.PREVIEW,
        support=Support(read=SAFE),
    )
