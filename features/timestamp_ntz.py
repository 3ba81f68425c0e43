"""timestampNtz: timestamps without a time zone.

Its trigger does not upgrade an existing table: before such a column is added, the feature must be asked for by name.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import SchemaHasType
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare timestampNtz."""
    return TableFeature(
        name="timestampNtz",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Columns can be timestamps without a time zone.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#timestamp-without-timezone-timestampntz",
        trigger=SchemaHasType(("timestamp_ntz",)),
        aborts_concurrent_writers=False,
        support=Support(read=SAFE),
    )
