"""Attempts, one after another: each lost one is followed by a look at what came first, and another try."""

from __future__ import annotations

import logging

import attrs

from deltaresolver.errors import CommitRetriesExceededError, LogError
from deltaresolver.expressions.conditions import PartitionJudge
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Clock, Snapshot
from deltaresolver.model.behaviour import Draft, Winner
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.resolution.capability import Capability
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.commit.attempt import AttemptOutcome, attempt, outcome_unknown
from deltaresolver.transaction.commit.back_off import BackOff
from deltaresolver.transaction.commit.prepare import isolation_of
from deltaresolver.transaction.conflicts.conflict import Conflict
from deltaresolver.transaction.conflicts.read_scope import ReadScope
from deltaresolver.transaction.conflicts.rebase import rebase
from deltaresolver.transaction.conflicts.rules import ConflictRules
from deltaresolver.transaction.conflicts.winners import decode_winner, list_winners
from deltaresolver.transaction.settings import TransactionSettings

logger = logging.getLogger("deltaresolver.transaction")


@attrs.frozen(slots=True)
class _Recognised:
    """A winner turned out to be this very transaction."""

    draft: Draft


@attrs.define(slots=True, eq=False)
class CommitLoop:
    """The attempts of one commit."""

    log: DeltaLog
    catalog: FeatureCatalog
    client: Capability
    settings: TransactionSettings
    scope: ReadScope
    transaction_id: str
    back_off: BackOff
    clock: Clock
    is_precise: bool = False
    attempts: int = 0
    rounds: int = 0
    winners_checked: int = 0
    _in_doubt: int | None = None
    """A version that a put of ours may still reach: its answer was lost, and then it was not there."""

    def run(self, draft: Draft) -> Draft:
        """The draft as it was committed.

        Raises a `ConcurrentModificationError`, `CommitRetriesExceededError`, or what forbids the commit otherwise;
        `CommitOutcomeUnknownError` in place of an error of the storage while an earlier put may still arrive.
        """
        try:
            return self._run(draft)
        except (LogError, CommitRetriesExceededError) as error:
            if self._in_doubt is None:
                raise
            raise outcome_unknown(self.log.store, self._in_doubt, self.transaction_id, error.message) from error

    def _run(self, draft: Draft) -> Draft:
        first_version, started_ms = draft.table_version, self.clock()
        may_be_mine = False
        retries = 0
        outcome = self._attempt(draft)
        while outcome is not AttemptOutcome.COMMITTED:
            if retries >= self.settings.max_retries:
                raise self._gave_up(draft, first_version, self.clock() - started_ms)
            retries += 1
            self.back_off.wait()
            if outcome is AttemptOutcome.ABSENT:
                may_be_mine = True
            else:
                checked = self._check_for_conflicts(draft, retries, may_be_mine=may_be_mine)
                if isinstance(checked, _Recognised):
                    return checked.draft
                draft = checked
            outcome = self._attempt(draft)
        return draft

    def _attempt(self, draft: Draft) -> AttemptOutcome:
        self.attempts += 1
        logger.debug(
            "Attempting to commit version %s with %s actions with %s isolation level",
            draft.table_version,
            len(draft.actions) + 1,
            isolation_of(draft).value,
        )
        outcome = attempt(self.log.store, draft, self.transaction_id, self.back_off)
        if outcome is AttemptOutcome.ABSENT:
            self._in_doubt = draft.table_version
        return outcome

    def _check_for_conflicts(self, draft: Draft, retry: int, *, may_be_mine: bool) -> Draft | _Recognised:
        self.rounds += 1
        check_version, started_ms = draft.table_version, self.clock()
        rules = self._rules(draft)
        for file in list_winners(self.log.store, check_version):
            data = self.log.store.read(file.path)
            winner = decode_winner(data, file, draft.table_version, draft.metadata)
            if self._is_own(winner, may_be_mine=may_be_mine or winner.table_version == check_version):
                return _Recognised(_as_written(draft, winner))
            if winner.table_version == self._in_doubt:
                self._in_doubt = None
            self.winners_checked += 1
            rebased = rebase(draft, winner, rules)
            if isinstance(rebased, Conflict):
                raise rebased.to_error()
            draft = rebased
            logger.info(
                "Completed checking for conflicts Version: %s Attempt: %s Time: %s ms",
                winner.table_version,
                retry,
                self.clock() - started_ms,
            )
        logger.info("No logical conflicts with deltas [%s, %s), retrying.", check_version, draft.table_version)
        return draft

    def _is_own(self, winner: Winner, *, may_be_mine: bool) -> bool:
        if not may_be_mine or not self.settings.recognise_own_commit:
            return False
        return winner.commit_info is not None and winner.commit_info.transaction_id == self.transaction_id

    def _rules(self, draft: Draft) -> ConflictRules:
        return ConflictRules(
            catalog=self.catalog,
            behaviours=behaviours_of(self.catalog),
            client=self.client,
            settings=self.settings,
            isolation=isolation_of(draft),
            scope=self.scope,
            judge=PartitionJudge.of(draft.before.metadata),
            is_precise=self.is_precise,
            snapshot_at=self._snapshot_at,
        )

    def _snapshot_at(self, table_version: int | None) -> Snapshot:
        return self.log.snapshot(table_version)

    def _gave_up(self, draft: Draft, first_version: int, spent_ms: int) -> CommitRetriesExceededError:
        return CommitRetriesExceededError(
            f"The commit lost {self.attempts} attempts, from version {first_version} to {draft.table_version}, "
            f"in {spent_ms:,} ms, and no retry is left.",
            fix="Repeat it, with fewer writers on the table at once or a higher spark.databricks.delta."
            "maxCommitAttempts.",
            details={
                "attempts": self.attempts,
                "first_version": first_version,
                "last_version": draft.table_version,
                "actions": len(draft.actions) + 1,
                "milliseconds": spent_ms,
            },
        )


def _as_written(draft: Draft, winner: Winner) -> Draft:
    """The draft as the file that is there has it."""
    assert winner.commit_info is not None
    return attrs.evolve(draft, table_version=winner.table_version, notes=winner.commit_info.fields)
