"""collations: string columns can compare by language rules instead of by bytes.

Values are stored unchanged, so readers that ignore collations still read them, in byte order.
"""

from __future__ import annotations

from deltaresolver.model.facts.keys import COLLATIONS
from deltaresolver.model.feature import FeatureKind, Maturity, TableFeature
from deltaresolver.model.rules import FieldHasMetadata
from deltaresolver.model.support import REFUSED, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare collations."""
    return TableFeature(
        name="collations",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="String columns can compare by language rules.",
        spec_url="https://github.com/delta-io/delta/blob/master/protocol_rfcs/collated-string-type.md",
        requires={"domainMetadata"},
        trigger=FieldHasMetadata((COLLATIONS,)),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        maturity=Maturity.PROPOSED,
        support=Support(write=REFUSED, checkpoint=REFUSED, clean_up=REFUSED),
    )
