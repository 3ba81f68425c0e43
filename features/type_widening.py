"""typeWidening: column types can be widened without rewriting data, as from int to bigint.

Its trigger does not fire where the preview is supported, so that clients that know only the preview keep working.
"""

from __future__ import annotations

from deltaresolver.features.behaviour.type_changes import TO_CURRENT_TYPES, TypeWideningBehaviour
from deltaresolver.model.facts.keys import TYPE_WIDENING
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.rules import AllOf, PropertyIsTrue, UnlessSupported
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare typeWidening."""
    return TableFeature(
        name="typeWidening",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Column types can be widened without rewriting data.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#type-widening",
        trigger=AllOf((PropertyIsTrue(TYPE_WIDENING), UnlessSupported(("typeWidening-preview",)))),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        removal=Removal(protects_history=True, rewriting=TO_CURRENT_TYPES),
        behaviour=TypeWideningBehaviour(),
        support=Support(read=SAFE),
    )
