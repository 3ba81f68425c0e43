"""coordinatedCommits-preview: a coordinator service decides which commit wins; the forerunner of catalogManaged.

Naming a coordinator in the properties switches it on.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Maturity, Removal, TableFeature
from deltaresolver.model.rules import PropertyPresent
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare coordinatedCommits-preview."""
    return TableFeature(
        name="coordinatedCommits-preview",
        kind=FeatureKind.WRITER,
        summary="A coordinator service decides which commits count.",
        spec_url="https://github.com/delta-io/delta/blob/master/protocol_rfcs/accepted/managed-commits.md",
        requires={"inCommitTimestamp", "vacuumProtocolCheck"},
        trigger=PropertyPresent("delta.coordinatedCommits.commitCoordinator-preview"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        removal=Removal(),
        maturity=Maturity.PREVIEW,
    )
