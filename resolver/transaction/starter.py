"""What every transaction on one table has in common, so that a change of several commits starts each alike."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Mapping

import attrs

from deltaresolver.log.checkpoint.write import ensure_checkpoint_possible, write_checkpoint
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Clock, Snapshot, milliseconds_now
from deltaresolver.log.storage.overlay_store import OverlayStore
from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.transaction.commit.back_off import Sleep
from deltaresolver.transaction.hooks import PostCommitHook
from deltaresolver.transaction.policies import CommitPolicy
from deltaresolver.transaction.table_state import contents_of
from deltaresolver.transaction.transaction import OptimisticTransaction

NO_SESSION: Mapping[str, str] = {}


def random_id() -> str:
    """An id nobody else has."""
    return str(uuid.uuid4())


@attrs.frozen(slots=True, eq=False)
class TransactionStarter:
    """Starts transactions on one log. Clock, ids and sleeper are arguments, as for `OptimisticTransaction`."""

    log: DeltaLog
    catalog: FeatureCatalog
    session: Mapping[str, str] = NO_SESSION
    policies: tuple[CommitPolicy, ...] = ()
    clock: Clock = milliseconds_now
    new_id: Callable[[], str] = random_id
    sleep: Sleep = time.sleep
    engine_info: str | None = None
    hooks: tuple[PostCommitHook, ...] = ()
    """Run after the checkpoint that is due at the table's interval."""
    checkpoints: bool = True
    """Whether that checkpoint is written."""
    precise_conflicts: bool = False
    """Whether statistics of files that others added can show that they do not matter."""

    def start(self, snapshot: Snapshot | None = None, *, asked_for: Collection[str] = ()) -> OptimisticTransaction:
        """A transaction that reads the latest version, or the one given.

        `asked_for` are features, in lower case, that the protocol may lack although the table needs them.
        """
        return OptimisticTransaction(
            self.log,
            self.catalog,
            snapshot=snapshot,
            session=self.session,
            clock=self.clock,
            new_id=self.new_id,
            sleep=self.sleep,
            policies=self.policies,
            hooks=self.hooks,
            checkpoints=self.checkpoints,
            engine_info=self.engine_info,
            precise_conflicts=self.precise_conflicts,
            asked_for=asked_for,
        )

    def write_checkpoint(self, snapshot: Snapshot) -> None:
        """Write a checkpoint of a version, as the table wants it. Raises as `write_checkpoint`."""
        write_checkpoint(snapshot, self.log.store, self.catalog)

    def ensure_checkpoint_possible(self, snapshot: Snapshot) -> None:
        """Raise what forbids `write_checkpoint`, as far as that is known without writing."""
        ensure_checkpoint_possible(snapshot, self.log.store, self.catalog)

    def pretending(self) -> TransactionStarter:
        """The same table, but nothing is written to it: commits stay in memory, and no hook of others hears of them."""
        store = OverlayStore(self.log.store, clock_ms=self.clock)
        return attrs.evolve(self, log=DeltaLog(store, clock=self.clock), hooks=(), checkpoints=False)

    def contents(self, snapshot: Snapshot) -> RemainingTable:
        """A version as features look at it when they come or go."""
        return contents_of(snapshot, self.catalog, self.clock(), self.session)
