"""coordinatedCommits-preview: a coordinator service decides which commit wins; the forerunner of catalogManaged.

A property with the name of a coordinator enables it.
"""

from __future__ import annotations

from collections.abc import Sequence

from deltaresolver.errors import FeatureInUseError, ProtocolUnsupportedError
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, RemainingTable
from deltaresolver.model.feature import FeatureKind, Maturity, Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.rules import PropertyPresent
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl

COORDINATOR = "delta.coordinatedCommits.commitCoordinator-preview"


class CoordinatedCommitsBehaviour(FeatureBehaviour):
    """Refuses commits, since this library does not ask the coordinator; some commits may be known to it alone."""

    def check_draft(self, draft: Draft) -> None:
        """Raise `ProtocolUnsupportedError` for a table with a coordinator, or that gets one by this commit.

        A table without a coordinator takes commits like any other. Published commits can be read.
        """
        before = draft.before.metadata.configuration.get(COORDINATOR)
        name = draft.metadata.configuration.get(COORDINATOR) if before is None else before
        if name is None:
            return
        raise ProtocolUnsupportedError(
            f"Coordinator {name} decides which commits of the table count, and this client commits to the log alone.",
            fix="Write through a client that knows the coordinator.",
            details={"feature": "coordinatedCommits-preview", "coordinator": name},
            delta_class="IllegalArgumentException" if before is None else "DeltaUnsupportedOperationException",
            delta_condition=None if before is None else "DELTA_UNSUPPORTED_WRITES_WITHOUT_COORDINATOR",
        )

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
