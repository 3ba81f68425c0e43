"""redirectReaderWriter-preview: reads and writes of this table go to another table, while it is being moved.

The property holds the target and the state of the move as JSON; without both it redirects nothing.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Maturity, Removal, TableFeature
from deltaresolver.model.rules import PropertyHoldsJson
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare redirectReaderWriter-preview."""
    return TableFeature(
        name="redirectReaderWriter-preview",
        kind=FeatureKind.READER_WRITER,
        summary="Reads and writes are redirected to another table.",
        spec_url="https://github.com/delta-io/delta/blob/master/spark/src/main/scala/org/apache/spark/sql/delta/redirect/TableRedirect.scala",
        trigger=PropertyHoldsJson("delta.redirectReaderWriter-preview", fields=("type", "state")),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        removal=Removal(unsets_first=("delta.redirectReaderWriter-preview",)),
        maturity=Maturity.PROPOSED,
    )
