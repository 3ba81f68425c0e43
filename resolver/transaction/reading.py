"""The reading half of a transaction: every question it answers is remembered, for the conflict check."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Sequence

from deltaresolver.errors import TableNotFoundError
from deltaresolver.expressions.conditions import PartitionJudge, parse_predicate
from deltaresolver.expressions.statistics import pruning_predicate
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import AddFile
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.conflicts.read_scope import Read, ReadScope


class Reading(abc.ABC):
    """Reads one snapshot and keeps account of what was read."""

    def __init__(self, snapshot: Snapshot | None, state: TableState) -> None:
        self.snapshot = snapshot
        """The version read; None where the table does not exist yet."""
        self.state = state
        """The table as it was read."""
        self._scope = ReadScope()

    @property
    def read_version(self) -> int:
        """The version read; -1 for a table that does not exist yet."""
        return self.state.table_version

    @property
    @abc.abstractmethod
    def metadata(self) -> Metadata:
        """The metadata by which predicates are understood."""

    @property
    def read_scope(self) -> ReadScope:
        """What was read so far."""
        return self._scope

    def filter_files(self, *predicates: str) -> list[AddFile]:
        """The files that may hold rows for which all predicates (Spark SQL) hold; without any, all files.

        Other writers' files that the predicates on partition columns select will conflict. Raises
        `PredicateUnreadableError`.
        """
        read = self._read(predicates or ("true",))
        files = [] if self.snapshot is None else scan_files(self.snapshot, read)
        self._scope = self._scope.with_read(read).with_files(files)
        return files

    def read_whole_table(self) -> None:
        """Every file is read, and every file added or removed meanwhile will conflict."""
        self._scope = self._scope.with_whole_table()

    def track_files_read(self, files: Iterable[AddFile]) -> None:
        """These files are read; removing them meanwhile will conflict."""
        self._scope = self._scope.with_files(files)

    def track_read_predicates(self, *predicates: str, partition_only: bool = False) -> None:
        """What these predicates select is read; with `partition_only` all are known to need partition columns only."""
        read = self._read(predicates)
        if partition_only:
            read = Read((*read.partition_predicates, *read.data_predicates))
        self._scope = self._scope.with_read(read)

    def track_unknown_reads(self) -> None:
        """The rows may have been read from this table, which nobody can see: the commit is not called blind.

        Nothing conflicts on this account: what was not registered cannot be judged.
        """
        self._scope = self._scope.with_unknown_reads()

    def track_scope(self, scope: ReadScope) -> None:
        """All that another transaction has read of the same version is read."""
        self._scope = self._scope.with_scope(scope)

    def txn_version(self, app_id: str) -> int:
        """How far the application has got, or -1. A commit of its meanwhile will conflict."""
        self._scope = self._scope.with_application(app_id)
        known = None if self.snapshot is None else self.snapshot.transactions.get(app_id)
        return -1 if known is None else known.app_version

    def _read(self, predicates: Sequence[str]) -> Read:
        names = frozenset(name.lower() for name in self.metadata.partition_columns)
        parsed = [parse_predicate(text) for text in predicates]
        on_partitions = tuple(predicate for predicate in parsed if predicate.looks_only_at(names))
        return Read(on_partitions, tuple(predicate for predicate in parsed if predicate not in on_partitions))


def scan_files(snapshot: Snapshot, read: Read) -> list[AddFile]:
    """The live files that may hold a match: by statistics for data columns, by value for partition columns."""
    metadata = snapshot.metadata
    table = snapshot.files(pruning_predicate(read.data_predicates, metadata))
    judge = PartitionJudge.of(metadata)
    answers: dict[tuple[tuple[str, str | None], ...], bool] = {}
    found: list[AddFile] = []
    for row in iterate_rows(table):
        file = add_from_row(row)
        key = tuple(file.partition_values.items())
        answer = answers.get(key)
        if answer is None:
            answer = answers[key] = all(
                judge.may_hold(predicate, file.partition_values) for predicate in read.partition_predicates
            )
        if answer:
            found.append(file)
    return found


def latest_of(log: DeltaLog) -> Snapshot | None:
    """The newest version; None where there is no table."""
    try:
        return log.update()
    except TableNotFoundError:
        return None
