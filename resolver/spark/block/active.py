"""The `ds.transaction` that a statement on a table belongs to, if any.

Inside such a block, statements commit to a log that stands still and keeps what is new in memory; so each sees what
those before it did, and nobody else sees any of it.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar

import attrs

from deltaresolver.errors import TransactionBlockError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.staged_store import staged_over
from deltaresolver.model.actions import Action, ChangeFile, RemoveFile
from deltaresolver.model.facts.keys import CHANGE_DATA_FEED, ROW_TRACKING
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.spark.reading.read_marks import place_of
from deltaresolver.table import Table
from deltaresolver.transaction.commit.committed import Committed
from deltaresolver.transaction.policies import Proposal
from deltaresolver.transaction.transaction import OptimisticTransaction

_NEED_ONE_STATEMENT = {
    CHANGE_DATA_FEED: "its change data would be that of several commits",
    ROW_TRACKING: "rows that move twice could not keep their ids",
}


@attrs.frozen(slots=True)
class BlockStatement:
    """One statement that was carried out inside a block."""

    operation: Operation
    committed: Committed


class TransactionBlock:
    """What statements on one table do between the beginning and the end of a block; `transaction` opens it.

    After the block `committed` is its commit, or None where nothing was to be committed.
    """

    def __init__(self, table: Table) -> None:
        self.id = str(uuid.uuid4())
        self.table = table
        self.place = place_of(table.log.store)
        self.committed: Committed | None = None
        self.statements: list[BlockStatement] = []
        self.transactions: list[OptimisticTransaction] = []
        self._log = DeltaLog(staged_over(table.log.store))
        self.base: Snapshot = self._log.update()
        """The version that the block began with."""
        self._thread = threading.get_ident()
        self._operation = Operation("")
        starter = table.starter
        policies = (*starter.policies, self)
        self._starter = attrs.evolve(starter, log=self._log, policies=policies, hooks=(self,), checkpoints=False)

    def __repr__(self) -> str:
        return f"TransactionBlock({self.place!r}, read version {self.read_version})"

    @property
    def read_version(self) -> int:
        """The version that the block began with."""
        return self.base.table_version

    @property
    def metrics(self) -> Mapping[str, str]:
        """The metrics of the commit, as history shows them; none before the end, or without a commit."""
        found: Mapping[str, str] = {}
        if self.committed is not None:
            found = self.committed.commit_info.fields.get("operationMetrics") or {}
        return found

    @property
    def is_staged(self) -> bool:
        """Whether some statement has changed the table."""
        return bool(self.statements)

    def snapshot(self) -> Snapshot:
        """The table as the statements so far have left it."""
        return self._log.update()

    def start(self) -> OptimisticTransaction:
        """The transaction of the next statement. Raises `TransactionBlockError` where none may follow."""
        _ensure_may_follow(self.snapshot().metadata, self.statements)
        transaction = self._starter.start()
        self.transactions.append(transaction)
        return transaction

    def ensure_own_thread(self) -> None:
        """Raises `TransactionBlockError` in another thread than that of the block."""
        if threading.get_ident() != self._thread:
            raise TransactionBlockError(
                f"The transaction on {self.place} was opened by another thread.",
                fix="Use it in the thread that opened it, or let the other thread open one of its own.",
                details={"location": self.place},
            )

    # --- as a policy and a hook of its statements ----------------------------------------------

    name = "statement of a transaction"

    def check(self, proposal: Proposal) -> None:
        """Note the operation that is about to be committed. Raises `TransactionBlockError` where it may not follow."""
        if self.statements:
            _ensure_may_follow(proposal.draft.metadata, self.statements, proposal.draft.actions)
        self._operation = proposal.draft.operation

    def run(self, committed: Committed) -> None:
        """Note the statement."""
        self.statements.append(BlockStatement(self._operation, committed))

    def handle_error(self, error: Exception, table_version: int) -> None:
        """Nothing is lost: the block ends with the error."""
        del table_version
        raise error


_open: ContextVar[Mapping[str, TransactionBlock]] = ContextVar("open transaction blocks")


def open_blocks() -> Mapping[str, TransactionBlock]:
    """The blocks that are open here, by their place."""
    return _open.get({})


def show_blocks(blocks: Mapping[str, TransactionBlock]) -> None:
    """From here on these blocks are open."""
    _open.set(blocks)


def block_at(store: LogStore) -> TransactionBlock | None:
    """The open block of the table in `store`. Raises `TransactionBlockError` where it is another thread's."""
    blocks = open_blocks()
    block = blocks.get(place_of(store)) if blocks else None
    if block is not None:
        block.ensure_own_thread()
    return block


def ensure_no_block(table: Table, what: str) -> None:
    """Raises `TransactionBlockError` for what cannot be part of a block."""
    if block_at(table.log.store) is not None:
        location = table.log.store.location
        raise TransactionBlockError(
            f"{what} of {location} cannot be part of a transaction of several statements.",
            fix="Do it before or after the block.",
            details={"location": location, "call": what},
        )


def ended_block(place: str) -> TransactionBlockError:
    """For rows that only a block which is not open here can give."""
    return TransactionBlockError(
        f"The rows were read inside a transaction on {place}, after it had changed the table, and it is not open here.",
        fix="Read the table again after the transaction.",
        details={"location": place},
    )


def _ensure_may_follow(
    metadata: Metadata, statements: Sequence[BlockStatement], actions: Sequence[Action] = ()
) -> None:
    """Raises `TransactionBlockError` where the table's properties allow only one statement that changes rows."""
    if all(map(_only_adds, (actions, *(each.committed.actions for each in statements)))):
        return
    for key, reason in _NEED_ONE_STATEMENT.items():
        if metadata.is_on(key):
            raise TransactionBlockError(
                f"{key} is set, so only appends can be several statements of one transaction: {reason}.",
                fix="Let one MERGE do all of it, or commit the statements one by one.",
                details={"property": key, "statements": [each.operation.name for each in statements]},
            )


def _only_adds(actions: Iterable[Action]) -> bool:
    return not any(isinstance(action, (RemoveFile, ChangeFile)) for action in actions)
