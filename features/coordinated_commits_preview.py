"""coordinatedCommits-preview: a coordinator service decides which commit wins; the forerunner of catalogManaged.

Naming a coordinator in the properties switches it on.
"""

from __future__ import annotations

from collections.abc import Sequence

from deltaresolver.errors import FeatureInUseError
from deltaresolver.model.behaviour import FeatureBehaviour, RemainingTable
from deltaresolver.model.feature import FeatureKind, Maturity, Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.rules import PropertyPresent
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl

COORDINATOR = "delta.coordinatedCommits.commitCoordinator-preview"


class CoordinatedCommitsBehaviour(FeatureBehaviour):
    """Knows that commits may be with the coordinator alone."""

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Raise `FeatureInUseError` for a table that has a coordinator."""
        name = table.metadata.configuration.get(COORDINATOR)
        if name is None:
            return None
        raise FeatureInUseError(
            f"coordinatedCommits-preview cannot be dropped here: coordinator {name} may hold commits the log lacks.",
            fix="Run ALTER TABLE ... DROP FEATURE `coordinatedCommits-preview` in a Spark that knows the coordinator.",
            details={"feature": "coordinatedCommits-preview", "coordinator": name},
        )


def left_to_the_coordinator(metadata: Metadata) -> str:  # noqa: ARG001 - as every such function
    """Why expired files of the log are not deleted."""
    return "the table's catalog decides what is deleted (coordinatedCommits-preview)"


@hookimpl
def table_feature() -> TableFeature:
    """Declare coordinatedCommits-preview."""
    return TableFeature(
        name="coordinatedCommits-preview",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="A coordinator service decides which commits count.",
        spec_url="https://github.com/delta-io/delta/blob/master/protocol_rfcs/accepted/managed-commits.md",
        requires={"inCommitTimestamp", "vacuumProtocolCheck"},
        trigger=PropertyPresent(COORDINATOR),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        removal=Removal(),
        maturity=Maturity.PREVIEW,
        behaviour=CoordinatedCommitsBehaviour(),
        support=Support(clean_up=left_to_the_coordinator),
    )
