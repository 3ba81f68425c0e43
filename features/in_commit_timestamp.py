"""inCommitTimestamp: each commit has its own timestamp, so that time travel does not depend on file times.

Timestamps never go back, whatever happens to the files.
"""

from __future__ import annotations

from deltaresolver.features.behaviour.in_commit_timestamp import InCommitTimestampBehaviour
from deltaresolver.model.facts.keys import IN_COMMIT_TIMESTAMPS, TIMESTAMPS_SINCE_TIME, TIMESTAMPS_SINCE_VERSION
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare inCommitTimestamp."""
    return TableFeature(
        name="inCommitTimestamp",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="Commits carry their own timestamps.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#in-commit-timestamps",
        trigger=PropertyIsTrue(IN_COMMIT_TIMESTAMPS),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        removal=Removal(),
        behaviour=InCommitTimestampBehaviour(),
        owned_properties=(TIMESTAMPS_SINCE_VERSION, TIMESTAMPS_SINCE_TIME),
        support=Support(),
    )
