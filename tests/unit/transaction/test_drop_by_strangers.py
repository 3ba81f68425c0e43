"""Dropping features of others, and beside them: what they do wrong ends with a code before anything is committed."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import pytest

from deltaresolver.errors import (
    AmendmentUnsettledError,
    BarrierCheckpointError,
    CheckpointUnusableError,
    RemovalUndoneError,
)
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import AddFile
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, MetadataChange, RemainingTable
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.alter.alter_table import alter_table
from deltaresolver.transaction.drop.drop_feature import drop_feature
from deltaresolver.transaction.starter import TransactionStarter
from tests.shop import Shop

SEAL = "seal"


class _Sealed(FeatureBehaviour):
    """Seals every file with a tag; a removal takes the seals off again."""

    def amend_draft(self, draft: Draft) -> Draft:
        """Seal what is written."""
        sealed = [attrs.evolve(one, tags={SEAL: "1"}) if isinstance(one, AddFile) else one for one in draft.actions]
        return draft.with_actions(sealed)

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Write the files without the seal."""
        sealed = [file for file in table.files() if file.tags]
        if not sealed:
            return None
        plain = tuple(attrs.evolve(file, tags=None, data_change=False) for file in sealed)
        return PreparatoryCommit(Operation("UNSEAL"), actions=plain)

    def find_trace(self, table: RemainingTable) -> str | None:
        """A sealed file."""
        return next((f"{file.path} is sealed" for file in table.files() if file.tags), None)


class _Resealed(_Sealed):
    """Its removal writes the seals again."""

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Nothing is taken off."""
        return None if made else PreparatoryCommit(Operation("UNSEAL"), actions=tuple(table.files()))


class _Endless(_Sealed):
    """Its removal never ends."""

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Always the same."""
        return PreparatoryCommit(Operation("UNSEAL"))


class _Restless(FeatureBehaviour):
    """Counts how often it was asked."""

    def amend_metadata(self, change: MetadataChange) -> Metadata:
        """One more."""
        count = int(change.metadata.configuration.get("count", "0")) + 1
        return change.metadata.with_configuration({**change.metadata.configuration, "count": str(count)})


def stranger(behaviour: FeatureBehaviour, *, protects_history: bool = False) -> TableFeature:
    return TableFeature(
        name="acmeSeal",
        kind=FeatureKind.WRITER,
        summary="Files are sealed.",
        spec_url="https://example.com",
        removal=Removal(protects_history=protects_history),
        behaviour=behaviour,
    )


def sealed_table(behaviour: FeatureBehaviour) -> tuple[Shop, TransactionStarter]:
    shop = Shop()
    usual = shop.starter()
    catalog = FeatureCatalog((*usual.catalog, stranger(behaviour)))
    starter = attrs.evolve(usual, catalog=catalog)
    if not isinstance(behaviour, _Restless):
        alter_table(starter, {"delta.feature.acmeSeal": "supported"})
        starter.start().commit((AddFile("a", {}, 1, 1, data_change=True),), operations.write())
    return shop, starter


def test_a_feature_adds_nothing_to_the_commits_of_its_own_removal() -> None:
    shop, starter = sealed_table(_Sealed())
    assert [file.tags for file in shop.snapshot.add_actions()] == [{SEAL: "1"}]
    outcome = drop_feature(starter, "acmeSeal")
    assert [commit.operation for commit in outcome.commits] == ["UNSEAL", "DROP FEATURE"]
    assert [file.tags for file in shop.snapshot.add_actions()] == [None]


@pytest.mark.parametrize("behaviour", [_Resealed(), _Endless()])
def test_a_removal_that_undoes_itself_is_refused_before_anything_is_committed(behaviour: FeatureBehaviour) -> None:
    shop, starter = sealed_table(behaviour)
    before = shop.snapshot.table_version
    for _ in range(2):
        with pytest.raises(RemovalUndoneError, match="acmeSeal"):
            drop_feature(starter, "acmeSeal")
    assert shop.snapshot.table_version == before


def test_an_amendment_that_never_settles_ends_with_a_code() -> None:
    shop, starter = sealed_table(_Restless())
    with pytest.raises(AmendmentUnsettledError, match="acmeSeal"):
        alter_table(starter, {"x": "1"})
    assert shop.snapshot.table_version == 0


def test_a_strangers_feature_that_blocks_checkpoints_blocks_the_drop_before_it_begins() -> None:
    shop = Shop({"delta.enableDeletionVectors": "true"})
    usual = shop.starter()
    starter = attrs.evolve(usual, catalog=FeatureCatalog((*usual.catalog, stranger(FeatureBehaviour()))))
    alter_table(starter, {"delta.feature.acmeSeal": "supported"})

    @attrs.frozen(slots=True, eq=False)
    class NoCheckpoints(TransactionStarter):
        def ensure_checkpoint_possible(self, snapshot: Snapshot) -> None:
            raise CheckpointUnusableError("nobody knows how", fix="Ask.")

    blocked = NoCheckpoints(starter.log, starter.catalog, clock=starter.clock)
    before = shop.snapshot.table_version
    for _ in range(3):
        with pytest.raises(BarrierCheckpointError, match="nobody knows how"):
            drop_feature(blocked, "deletionVectors")
    assert shop.snapshot.table_version == before
