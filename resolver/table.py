"""Table: the handle users hold. From a path to snapshots, history, transactions and the reasons for the protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, TypeAlias, Union, cast

from deltaresolver.log.log import DeltaLog
from deltaresolver.log.looking_around import looking_around
from deltaresolver.log.storage.locations import open_store
from deltaresolver.transaction.calls import TableCalls
from deltaresolver.transaction.create.create_mode import CreateMode

if TYPE_CHECKING:
    from deltaresolver.log.history import HistoryEntry
    from deltaresolver.log.snapshot import Snapshot
    from deltaresolver.model.catalog import FeatureCatalog
    from deltaresolver.model.metadata import Metadata
    from deltaresolver.model.protocol import Protocol
    from deltaresolver.resolution.resolution import Resolution
    from deltaresolver.transaction.alter.alter_table import AlterOutcome
    from deltaresolver.transaction.alter.change_table import RowCheck
    from deltaresolver.transaction.alter.table_change import TableChange
    from deltaresolver.transaction.clone_table import CloneOutcome
    from deltaresolver.transaction.create.create_table import CreateOutcome
    from deltaresolver.transaction.create.schema_input import Schema
    from deltaresolver.transaction.ddl.statements import Statement
    from deltaresolver.transaction.drop.drop_feature import DropOutcome
    from deltaresolver.transaction.hooks import PostCommitHook
    from deltaresolver.transaction.policies import CommitPolicy
    from deltaresolver.transaction.starter import TransactionStarter
    from deltaresolver.transaction.transaction import OptimisticTransaction

EMPTY: Mapping[str, str] = {}

Outcome: TypeAlias = Union["AlterOutcome", "DropOutcome", "CreateOutcome"]
"""What became of a statement."""


class Table(TableCalls):
    """A Delta table at a location: a local path, or `s3://`, `gs://`, `abfss://` with storage options.

    Nothing is read before it is asked for. `protocol` and `metadata` are those of the latest version the
    handle has seen; `update()` looks for a newer one. Raises `LocationInvalidError` and `StorageOptionError`
    here, and the errors of `DeltaLog.snapshot` when something is read.

    `session` holds settings and defaults under the names Spark gives them, or is a function that gives them, which is
    called for every statement; `policies` are asked before every commit.
    `without_plugins` names installed packages whose plugins this handle does without; see
    `deltaresolver.defaults.without_plugins`.
    """

    def __init__(
        self,
        location: str | os.PathLike[str],
        storage_options: Mapping[str, str] | None = None,
        *,
        catalog: FeatureCatalog | None = None,
        session: Mapping[str, str] | Callable[[], Mapping[str, str]] = EMPTY,
        policies: Iterable[CommitPolicy] = (),
        without_plugins: Iterable[str] = (),
    ) -> None:
        self.log = DeltaLog(open_store(location, storage_options))
        self.storage_options: Mapping[str, str] = dict(storage_options or {})
        """As given; keys and tokens may be among them."""
        self._catalog = catalog
        self._session = session
        self._policies = tuple(policies)
        self._without = _checked(without_plugins)
        self._latest: Snapshot | None = None

    @classmethod
    def create(  # noqa: PLR0913 - one argument a clause of CREATE TABLE
        cls,
        location: str | os.PathLike[str],
        schema: Schema,
        *,
        partition_columns: Sequence[str] = (),
        cluster_by: Sequence[str] = (),
        properties: Mapping[str, str] = EMPTY,
        name: str | None = None,
        description: str | None = None,
        mode: CreateMode = CreateMode.CREATE,
        storage_options: Mapping[str, str] | None = None,
        session: Mapping[str, str] = EMPTY,
        catalog: FeatureCatalog | None = None,
        policies: Iterable[CommitPolicy] = (),
        without_plugins: Iterable[str] = (),
    ) -> Table:
        """A new table, as CREATE TABLE makes it: version 0 with the lowest protocol that its metadata takes.

        The schema may be DDL text, as between the parentheses of CREATE TABLE. `mode` says what becomes of a
        table that is there already. Raises as `deltaresolver.transaction.create.create_table.create_table`.
        """
        from deltaresolver.transaction.create.create_table import NewTable, create_table
        from deltaresolver.transaction.ddl.token_stream import TokenStream, read_all

        table = cls(
            location,
            storage_options,
            catalog=catalog,
            session=session,
            policies=policies,
            without_plugins=without_plugins,
        )
        paths = tuple(read_all(column, TokenStream.read_path) for column in cluster_by)
        new = NewTable(schema, partition_columns, paths, properties, name, description, mode)
        create_table(table.starter, new)
        table.update()
        return table

    def __repr__(self) -> str:
        return f"Table({self.log.store.location!r})"

    @property
    def catalog(self) -> FeatureCatalog:
        """The features this handle knows."""
        if self._catalog is not None:
            return self._catalog
        from deltaresolver.defaults import default_catalog
        from deltaresolver.plugins import leaving_out

        with leaving_out(self._without):
            return default_catalog()

    def snapshot(self, version: int | None = None, timestamp: int | str | date | None = None) -> Snapshot:
        """The latest state, or the one at a table version or moment; see `DeltaLog.snapshot`."""
        if version is None and timestamp is None:
            return self.update()
        return self.log.snapshot(version, timestamp)

    def update(self) -> Snapshot:
        """The latest state, looking for new commits."""
        with looking_around(self.log.store):
            self._latest = self.log.update()
        return self._latest

    def _forget(self) -> None:
        self._latest = None

    @property
    def _seen(self) -> Snapshot:
        return self._latest if self._latest is not None else self.update()

    @property
    def protocol(self) -> Protocol:
        """The protocol of the latest version seen."""
        return self._seen.protocol

    @property
    def metadata(self) -> Metadata:
        """The metadata of the latest version seen."""
        return self._seen.metadata

    def history(self, limit: int | None = None) -> list[HistoryEntry]:
        """The last `limit` commits, newest first."""
        return self.log.history(limit)

    def resolve(self, changes: Mapping[str, str | None] | None = None) -> Resolution:
        """What the protocol would be after setting these properties (None unsets one), and why; nothing is written.

        The answer is the protocol that `alter` would commit, and what `alter` refuses is refused here with the same
        error. Without changes it explains the protocol the table has; features unknown here stay listed.
        """
        if not changes:
            from deltaresolver.resolution.resolve import resolve_known_part

            return resolve_known_part(self.metadata, self.protocol, self.catalog, before=self.metadata)
        from deltaresolver.transaction.alter.alter_table import alter_table

        to_set = {key: value for key, value in changes.items() if value is not None}
        to_unset = [key for key, value in changes.items() if value is None]
        return alter_table(self.starter, to_set, to_unset, dry_run=True).announced

    @property
    def starter(self) -> TransactionStarter:
        """What all transactions of this handle have in common, hooks and policies of installed plugins included.

        A package that is set aside is left out, with a warning; where it brings a policy, every commit is refused.
        """
        from deltaresolver.defaults import default_commit_extensions
        from deltaresolver.plugins import leaving_out
        from deltaresolver.transaction.hooks import hooks_of
        from deltaresolver.transaction.starter import TransactionStarter

        with leaving_out(self._without):
            brought = default_commit_extensions()
        session = self._session() if callable(self._session) else self._session
        return TransactionStarter(
            self.log,
            self.catalog,
            session,
            (*cast("tuple[CommitPolicy, ...]", brought.policies), *self._policies),
            hooks=(*cast("tuple[PostCommitHook, ...]", brought.hooks), *hooks_of(session)),
        )

    def start_transaction(
        self,
        *,
        policies: Iterable[CommitPolicy] = (),
        hooks: Iterable[PostCommitHook] = (),
        precise_conflicts: bool = False,
    ) -> OptimisticTransaction:
        """A transaction on the latest version; a checkpoint follows its commit where the table's interval is due.

        `policies` and `hooks` are for this transaction, beside those of the handle. Conflicts are those of
        delta-spark; with `precise_conflicts`, others' files whose statistics show that no read concerns them are none.
        Raises `ProtocolUnsupportedError`.
        """
        import attrs

        starter = self.starter
        policies, hooks = (*starter.policies, *policies), (*starter.hooks, *hooks)
        return attrs.evolve(starter, policies=policies, hooks=hooks, precise_conflicts=precise_conflicts).start()

    def alter(
        self,
        set: Mapping[str, str] = EMPTY,  # noqa: A002 - the word of ALTER TABLE
        unset: Iterable[str] = (),
        add_features: Iterable[str] = (),
        *,
        dry_run: bool = False,
    ) -> AlterOutcome:
        """Set and unset properties and add features by name; with `dry_run` only say what would come of it.

        Raises as `deltaresolver.transaction.alter.alter_table.alter_table`.
        """
        from deltaresolver.transaction.alter.alter_table import alter_table

        outcome = alter_table(self.starter, set, unset, add_features, dry_run=dry_run)
        self._forget()
        return outcome

    def change(self, change: TableChange, *, row_check: RowCheck | None = None, dry_run: bool = False) -> AlterOutcome:
        """Carry out a change of columns, constraints or layout, or with `dry_run` only say what would come of it.

        Raises as `deltaresolver.transaction.alter.change_table.change_table`.
        """
        from deltaresolver.transaction.alter.change_table import change_table

        outcome = change_table(self.starter, change, row_check=row_check, dry_run=dry_run)
        self._forget()
        return outcome

    def sql(self, statement: str, *, row_check: RowCheck | None = None, dry_run: bool = False) -> Outcome:
        """Carry out a statement of DDL: CREATE, REPLACE or ALTER TABLE, or COMMENT ON TABLE, about this table.

        The name in it is not looked at. Raises `StatementUnreadableError`, `StatementUnsupportedError` for one that
        takes an engine, and as the call that does the same.
        """
        from deltaresolver.transaction.ddl.read_statement import read_statement

        return self.carry_out(read_statement(statement), row_check=row_check, dry_run=dry_run)

    def carry_out(self, statement: Statement, *, row_check: RowCheck | None = None, dry_run: bool = False) -> Outcome:
        """Carry out a statement that was read. Raises as `sql`."""
        from deltaresolver.transaction.create.create_table import create_table
        from deltaresolver.transaction.ddl.statements import AlterProperties, AlterTable, DropFeatureStatement

        if isinstance(statement, AlterTable):
            return self.change(statement.change, row_check=row_check, dry_run=dry_run)
        if isinstance(statement, AlterProperties):
            return self.alter(statement.to_set, statement.to_unset, dry_run=dry_run)
        if isinstance(statement, DropFeatureStatement):
            return self.drop_feature(statement.feature, truncate_history=statement.truncate_history, dry_run=dry_run)
        outcome = create_table(self.starter, statement.new, dry_run=dry_run)
        self._forget()
        return outcome

    def clone(
        self,
        target: str | os.PathLike[str],
        version: int | None = None,
        timestamp: int | str | date | None = None,
        *,
        replace: bool = False,
        properties: Mapping[str, str] = EMPTY,
        storage_options: Mapping[str, str] | None = None,
    ) -> CloneOutcome:
        """Make a table at `target` that names the files of this one: a shallow clone of a version.

        `properties` are set over those of this table; `storage_options` are for the target's storage. Raises as
        `deltaresolver.transaction.clone_table.clone_table`.
        """
        from deltaresolver.transaction.clone_table import clone_table

        there = Table(target, storage_options, catalog=self._catalog, session=self._session, policies=self._policies)
        return clone_table(self.snapshot(version, timestamp), there.starter, replace=replace, properties=properties)


def _checked(packages: Iterable[str]) -> frozenset[str]:
    """The packages to leave out, in normal form. Raises `PluginUnknownError`."""
    if not packages:
        return frozenset()
    from deltaresolver.plugins import packages_named

    return packages_named(packages)
