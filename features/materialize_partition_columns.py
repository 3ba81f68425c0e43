"""materializePartitionColumns: partition columns are written into the data files too, not only into the paths.

Dropping it needs no rewrite: files that hold the columns stay readable.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare materializePartitionColumns."""
    return TableFeature(
        name="materializePartitionColumns",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="Partition columns are also stored in the data files.",
        spec_url="https://github.com/delta-io/delta/blob/master/protocol_rfcs/materialize-partition-columns.md",
        trigger=PropertyIsTrue("delta.enableMaterializePartitionColumnsFeature"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        removal=Removal(drops_properties=("delta.enableMaterializePartitionColumnsFeature",)),
        support=Support(),
    )
