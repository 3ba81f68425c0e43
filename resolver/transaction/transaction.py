"""OptimisticTransaction: what users hold between reading a table and committing to it."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from deltaresolver.errors import TransactionStateError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Clock, Snapshot, milliseconds_now
from deltaresolver.model.actions import Action
from deltaresolver.model.behaviour import Draft
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.capability import Capability
from deltaresolver.transaction.commit.back_off import BackOff, Sleep
from deltaresolver.transaction.commit.committed import Committed, ensure_visible, log_stats
from deltaresolver.transaction.commit.info import default_engine_info
from deltaresolver.transaction.commit.large import large_draft, write_large
from deltaresolver.transaction.commit.loop import CommitLoop
from deltaresolver.transaction.commit.prepare import MORE_THAN_ONE_METADATA, Preparation, isolation_of
from deltaresolver.transaction.hooks import PostCommitHook, checkpoint_at_interval, run_hooks
from deltaresolver.transaction.metadata.staging import Staging
from deltaresolver.transaction.not_followed import warn_of_settings
from deltaresolver.transaction.policies import CommitPolicy, Proposal, policies_of
from deltaresolver.transaction.protocol_support import ensure_agree, ensure_readable
from deltaresolver.transaction.reading import Reading, latest_of
from deltaresolver.transaction.settings import TransactionSettings
from deltaresolver.transaction.symlink_manifest import GenerateSymlinkManifest, wants_symlink_manifest
from deltaresolver.transaction.table_state import state_of

logger = logging.getLogger("deltaresolver.transaction")

NO_SESSION: Mapping[str, str] = {}
NO_TAGS: Mapping[str, str] = {}


def _new_id() -> str:
    return str(uuid.uuid4())


class OptimisticTransaction(Reading):
    """Reads one version of a table and commits the next one, unless others' commits forbid it.

    Given the same store, clock, ids and sleeper it does the same. Not safe for several threads at once.
    `session` holds settings and table defaults under the names Spark gives them; `client` says what this client
    can write, by default what this library implements of the catalog. With `precise_conflicts`, statistics of files
    that others added can show that they do not matter; without, conflicts are exactly those of delta-spark. A
    checkpoint is written when the table's interval is reached, unless `checkpoints` is false. Raises
    `ProtocolUnsupportedError` for a table that this client cannot read, `ProtocolMismatchError` for one whose protocol
    lacks what its metadata needs.
    """

    leaving: str | None = None
    """A feature whose use this commit ends: it adds nothing to the commit."""
    committed: Committed | None = None
    _has_written = False
    _draft: Draft | None = None
    _loop: CommitLoop | None = None

    def __init__(  # noqa: PLR0913 - what makes it deterministic is handed in
        self,
        log: DeltaLog,
        catalog: FeatureCatalog,
        *,
        snapshot: Snapshot | None = None,
        session: Mapping[str, str] = NO_SESSION,
        clock: Clock = milliseconds_now,
        new_id: Callable[[], str] = _new_id,
        sleep: Sleep = time.sleep,
        policies: Sequence[CommitPolicy] = (),
        hooks: Iterable[PostCommitHook] = (),
        client: Capability | None = None,
        engine_info: str | None = None,
        precise_conflicts: bool = False,
        checkpoints: bool = True,
        asked_for: Collection[str] = (),
    ) -> None:
        snapshot = latest_of(log) if snapshot is None else snapshot
        super().__init__(snapshot, state_of(snapshot, catalog, session))
        self.log = log
        self.catalog = catalog
        self.transaction_id = new_id()
        self._settings = TransactionSettings.from_session(session)
        warn_of_settings(session)
        self._clock = clock
        self._sleep = sleep
        self._policies = tuple(policies)
        self._hooks: list[PostCommitHook] = [checkpoint_at_interval(catalog)] if checkpoints else []
        for hook in hooks:
            self.register_post_commit_hook(hook)
        self._client = Capability.of_support(catalog) if client is None else client
        self._precise_conflicts = precise_conflicts
        self._engine_info = engine_info or default_engine_info()
        if self.snapshot is not None:
            ensure_readable(self.state.protocol, self._client)
            ensure_agree(self.state.protocol, self.state.metadata, catalog, asked_for)
        self._staged = Staging(self.state, catalog, session, new_id, may_downgrade=self._settings.replace_may_downgrade)

    def __repr__(self) -> str:
        return f"OptimisticTransaction({self.log.store.location!r}, read version {self.read_version})"

    # --- what the transaction sees -------------------------------------------------------------

    @property
    def metadata(self) -> Metadata:
        """The staged metadata, else what was read."""
        return self.state.metadata if self._staged.metadata is None else self._staged.metadata

    @property
    def protocol(self) -> Protocol:
        """The protocol the staged metadata takes, else what was read."""
        return self.state.protocol if self._staged.protocol is None else self._staged.protocol

    @property
    def trusts_expressions(self) -> bool:
        """Whether expressions that the table keeps may call anything when rows are written."""
        return self._settings.trust_expressions

    @property
    def is_blind_append(self) -> bool | None:
        """Whether the commit only adds files and read none; None before it is prepared."""
        return None if self._draft is None else self._draft.is_blind_append

    @property
    def isolation_level(self) -> IsolationLevel | None:
        """The level the commit runs under; None before it is prepared."""
        return None if self._draft is None else isolation_of(self._draft)

    @property
    def conflict_rounds(self) -> int:
        """How often the commit looked for conflicts."""
        return 0 if self._loop is None else self._loop.rounds

    # --- changing metadata ---------------------------------------------------------------------

    def update_metadata(self, metadata: Metadata) -> None:
        """Stage new metadata and the protocol it takes; for a new table, with the session's defaults.

        Only once, and before data was written: raises `TransactionStateError`. Raises what the resolver and
        the features raise.
        """
        if self._has_written:
            message = "Cannot update the metadata in a transaction that has already written data."
            raise TransactionStateError(message, fix="Update the metadata first, then write data.")
        if self._staged.metadata is not None:
            raise TransactionStateError(MORE_THAN_ONE_METADATA, fix="Merge the changes into one metadata.")
        self._staged.stage(metadata)

    def replace_staged_metadata(self, metadata: Metadata) -> None:
        """Stage metadata in place of what was staged, or for the first time; for what only written data can tell.

        This may come after data was written.
        """
        self._staged.clear()
        self._staged.stage(metadata)
        self._staged.follows_data = True

    def update_metadata_for_new_table(self, metadata: Metadata, *, keeps_column_ids: bool = False) -> None:
        """As `update_metadata`, for a table that is created, or replaced as if it were.

        With `keeps_column_ids`, columns of a replaced table that keep name and type stay the same columns.
        """
        self._staged.is_new_table = True
        self._staged.keeps_column_ids = keeps_column_ids
        self.update_metadata(metadata)

    def update_metadata_as_copied(self, metadata: Metadata) -> None:
        """As `update_metadata`, for metadata of another table, to which the session's defaults add nothing."""
        self._staged.takes_defaults = False
        self.update_metadata(metadata)

    def verify_new_metadata(self, metadata: Metadata) -> None:
        """Raise what forbids this metadata, or return."""
        update = self._staged.update
        update.verify(metadata, update.upgrade(metadata, self.protocol) or self.protocol)

    def mark_written(self) -> None:
        """Data was written for this transaction, so the metadata can no longer change."""
        self._has_written = True

    # --- committing ----------------------------------------------------------------------------

    def commit(self, actions: Sequence[Action], operation: Operation, tags: Mapping[str, str] = NO_TAGS) -> int:
        """Commit and return the version committed.

        Raises `TransactionError` kinds for what is not allowed, `ConcurrentModificationError` kinds for what
        others' commits forbid, and what the storage raises.
        """
        self._prepare(actions, operation, tags)
        return self._commit()

    def commit_if_needed(
        self, actions: Sequence[Action], operation: Operation, tags: Mapping[str, str] = NO_TAGS
    ) -> int | None:
        """As `commit`, but an empty commit is left out, with `None`, where isolation allows it."""
        draft = self._prepare(actions, operation, tags)
        level = isolation_of(draft)
        if not draft.actions and self._settings.skip_empty_commits and level is not IsolationLevel.WRITE_SERIALIZABLE:
            return None
        return self._commit()

    def preview(self, actions: Sequence[Action], operation: Operation, tags: Mapping[str, str] = NO_TAGS) -> Draft:
        """What `commit` would try to write first, after all its checks and policies; nothing is written.

        Raises as `commit` does before its first attempt.
        """
        return self._prepare(actions, operation, tags)

    def commit_large(self, actions: Iterable[Action], operation: Operation, protocol: Protocol | None = None) -> int:
        """Commit as the very next version or not at all. Raises as `write_large` does."""
        self._ensure_open()
        preparation = self._preparation()
        draft = large_draft(preparation, actions, operation, protocol)
        self._draft = draft
        self._ask_policies(draft)
        who, back_off = self.transaction_id, self._back_off()
        write_large(self.log, draft, who, self._scope, back_off, client=self._client, catalog=self.catalog)
        self._set_committed(draft, attempts=1, conflicts_checked=0)
        return draft.table_version

    def register_post_commit_hook(self, hook: PostCommitHook) -> None:
        """Run `hook` after the commit, after those registered before; once, however often it is registered."""
        if hook not in self._hooks:
            self._hooks.append(hook)

    def run_post_commit_hooks(self) -> None:
        """Run the hooks for the commit that was made, the checkpoint's first.

        Raises `TransactionStateError` before there is one, and what a hook's `handle_error` raises once all have run.
        """
        if self.committed is None:
            raise TransactionStateError("Can't call post commit hooks before committing", fix="Commit first.")
        manifest = wants_symlink_manifest(self.committed.metadata, self.committed.actions)
        run_hooks([*self._hooks, GenerateSymlinkManifest()] if manifest else self._hooks, self.committed)

    def _prepare(self, actions: Sequence[Action], operation: Operation, tags: Mapping[str, str]) -> Draft:
        self._ensure_open()
        draft = self._preparation().prepare(actions, operation, tags)
        self._ask_policies(draft)
        self._draft = draft
        return draft

    def _ensure_open(self) -> None:
        if self.committed is not None:
            raise TransactionStateError("Transaction already committed.", fix="Start a new transaction.")

    def _preparation(self) -> Preparation:
        return Preparation(
            before=self.state,
            catalog=self.catalog,
            client=self._client,
            update=self._staged.update,
            scope=self._scope,
            staged_metadata=self._staged.metadata,
            staged_protocol=self._staged.protocol,
            metadata_follows_data=self._staged.follows_data,
            now_ms=self._clock(),
            engine_info=self._engine_info,
            transaction_id=self.transaction_id,
            settings=self._settings,
            leaving=self.leaving,
        )

    def _ask_policies(self, draft: Draft) -> None:
        for policy in (*policies_of(self.state.metadata), *self._policies):
            policy.check(Proposal(draft, self.catalog, self._staged.asked, self.log.store.location))

    def _back_off(self) -> BackOff:
        return BackOff(self._sleep, self.transaction_id)

    def _commit(self) -> int:
        assert self._draft is not None
        self._loop = CommitLoop(
            log=self.log,
            catalog=self.catalog,
            client=self._client,
            settings=self._settings,
            scope=self._scope,
            transaction_id=self.transaction_id,
            back_off=self._back_off(),
            clock=self._clock,
            is_precise=self._precise_conflicts,
        )
        draft = self._loop.run(self._draft)
        self._set_committed(draft, attempts=self._loop.attempts, conflicts_checked=self._loop.winners_checked)
        return draft.table_version

    def _set_committed(self, draft: Draft, *, attempts: int, conflicts_checked: int) -> None:
        self.committed = Committed.of(draft, attempts, conflicts_checked, self.log.update)
        logger.info("Committed delta #%s to %s/_delta_log", draft.table_version, self.log.store.location)
        log_stats(self.committed)
        ensure_visible(self.committed, self.log.store)
        self.run_post_commit_hooks()
