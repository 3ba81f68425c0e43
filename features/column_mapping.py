"""columnMapping: columns keep an id and a physical name, so that they can be renamed or dropped without a rewrite.

Readers must translate names, which is why it is the one legacy feature that raises the reader version.
"""

from __future__ import annotations

from deltaresolver.features.behaviour.column_mapping import ColumnMappingBehaviour
from deltaresolver.model.facts.keys import MAPPING_MODE, MAX_COLUMN_ID
from deltaresolver.model.feature import FeatureKind, LegacyVersion, Removal, TableFeature
from deltaresolver.model.operation import Operation
from deltaresolver.model.rules import PropertyIsOneOf
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare columnMapping."""
    return TableFeature(
        name="columnMapping",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=2,
        min_writer_version=5,
        summary="Columns can be renamed and dropped without rewriting data.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#column-mapping",
        legacy=LegacyVersion(2, 5, check_order=7),
        trigger=PropertyIsOneOf(
            MAPPING_MODE,
            values=("id", "name"),
            harmless=("none",),
            any_case=True,
            message="The column mapping mode {value} is not supported.",
            delta_class="ColumnMappingUnsupportedException",
        ),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        removal=Removal(protects_history=True, rewriting=Operation("REMOVE COLUMN MAPPING")),
        behaviour=ColumnMappingBehaviour(),
        owned_properties=(MAX_COLUMN_ID,),
        support=Support(read=SAFE),
    )
