"""redirectReaderWriter-preview: reads and writes of this table go to another table, while it is being moved.

The property has the target and the state of the move as JSON; without both of them nothing is redirected.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Maturity, Removal, TableFeature
from deltaresolver.model.rules import PropertyHoldsJson
from deltaresolver.model.support import REFUSED, Support
from deltaresolver.plugins import hookimpl

PROPERTY = "delta.redirectReaderWriter-preview"
TRIGGER = PropertyHoldsJson(PROPERTY, fields=("type", "state"))


@hookimpl
def table_feature() -> TableFeature:
    """Declare redirectReaderWriter-preview."""
    return TableFeature(
        name="redirectReaderWriter-preview",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Reads and writes are redirected to another table.",
        spec_url="https://github.com/delta-io/delta/blob/master/spark/src/main/scala/org/apache/spark/sql/delta/redirect/TableRedirect.scala",
        trigger=TRIGGER,
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        removal=Removal(unsets_first=(PROPERTY,)),
        maturity=Maturity.PROPOSED,
        support=Support(read=REFUSED, write=REFUSED, checkpoint=REFUSED, clean_up=REFUSED),
    )
