"""domainMetadata: named pockets of configuration inside the log, each owned by a feature or by users.

Other features bring it; nothing in the metadata switches it on alone.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare domainMetadata."""
    return TableFeature(
        name="domainMetadata",
        kind=FeatureKind.WRITER,
        summary="Features and users can keep named configuration in the log.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#domain-metadata",
        aborts_concurrent_writers=False,
        removal=Removal(),
    )
