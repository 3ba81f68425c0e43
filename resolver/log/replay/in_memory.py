"""In-memory log replay as the specification describes it: registries, one `append` per version, one `checkpoint`.

The readable reference. Large tables are replayed columnar, and that replay is tested against this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.errors import ReplayOrderError
from deltaresolver.model.actions import Action, AddFile, DomainMetadata, RemoveFile, SetTransaction
from deltaresolver.model.file_key import FileKey
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol


class InMemoryLogReplay:
    """The state of a table while its versions are replayed one after the other.

    `min_file_retention_timestamp` and `min_transaction_retention_timestamp` limit what `checkpoint`
    still reports of tombstones and transactions; `None` reports all.
    """

    def __init__(
        self,
        min_file_retention_timestamp: int | None = None,
        min_transaction_retention_timestamp: int | None = None,
    ) -> None:
        self.min_file_retention_timestamp = min_file_retention_timestamp
        self.min_transaction_retention_timestamp = min_transaction_retention_timestamp
        self.current_version = -1
        self.current_protocol: Protocol | None = None
        self.current_metadata: Metadata | None = None
        self.transactions: dict[str, SetTransaction] = {}
        self.domains: dict[str, DomainMetadata] = {}
        self.active_files: dict[FileKey, AddFile] = {}
        self.tombstones: dict[FileKey, RemoveFile] = {}

    def append(self, table_version: int, actions: Iterable[Action]) -> None:
        """Register the actions of one version. Raises `ReplayOrderError` unless it follows the last one."""
        if self.current_version not in (-1, table_version - 1):
            raise ReplayOrderError(
                f"Attempted to replay version {table_version}, but state is at {self.current_version}",
                fix="Replay versions in ascending order without gaps.",
                details={"table_version": table_version, "current_version": self.current_version},
            )
        self.current_version = table_version
        for action in actions:
            self._register(action)

    def _register(self, action: Action) -> None:
        match action:
            case AddFile():
                key = action.key
                self.active_files[key] = attrs.evolve(action, data_change=False)
                self.tombstones.pop(key, None)
            case RemoveFile():
                key = action.key
                self.active_files.pop(key, None)
                self.tombstones[key] = attrs.evolve(action, data_change=False)
            case SetTransaction():
                self.transactions[action.app_id] = action
            case DomainMetadata():
                self._register_domain(action)
            case Metadata():
                self.current_metadata = action
            case Protocol():
                self.current_protocol = action
            case _:
                pass  # where a commit comes from, change files and unknown actions do not belong to the state

    def _register_domain(self, action: DomainMetadata) -> None:
        if action.removed:
            self.domains.pop(action.domain, None)
        else:
            self.domains[action.domain] = action

    def checkpoint(self) -> Iterator[Action]:
        """The state as actions: protocol, metadata, domains, transactions, then files and tombstones by path."""
        if self.current_protocol is not None:
            yield self.current_protocol
        if self.current_metadata is not None:
            yield self.current_metadata
        yield from self.domains.values()
        yield from self._kept_transactions()
        files: list[AddFile | RemoveFile] = [*self.active_files.values(), *self.kept_tombstones()]
        files.sort(key=lambda file: file.path)
        yield from files

    def kept_tombstones(self) -> Iterator[RemoveFile]:
        """The tombstones deleted after the retention timestamp."""
        limit = self.min_file_retention_timestamp
        for tombstone in self.tombstones.values():
            if limit is None or tombstone.deleted_at > limit:
                yield tombstone

    def _kept_transactions(self) -> Iterator[SetTransaction]:
        limit = self.min_transaction_retention_timestamp
        for transaction in self.transactions.values():
            if limit is None or (transaction.last_updated is not None and transaction.last_updated > limit):
                yield transaction
