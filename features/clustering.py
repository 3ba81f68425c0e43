"""clustering: files are laid out by chosen columns, which can change without rewriting the table.

The clustering columns are kept in a metadata domain. `CLUSTER BY` asks for the feature by name.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare clustering."""
    return TableFeature(
        name="clustering",
        kind=FeatureKind.WRITER,
        summary="Data is clustered by columns that can be changed at any time.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#clustered-table",
        requires={"domainMetadata"},
        aborts_concurrent_writers=True,
    )
