"""Statements about a table as calls of its handle: changes of columns, constraints and layout, and upkeep."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from deltaresolver.log.snapshot import Snapshot
    from deltaresolver.transaction.alter.alter_table import AlterOutcome
    from deltaresolver.transaction.alter.change_table import RowCheck
    from deltaresolver.transaction.alter.table_change import TableChange
    from deltaresolver.transaction.drop.drop_feature import DropOutcome
    from deltaresolver.transaction.restore_table import RestoreOutcome
    from deltaresolver.transaction.starter import TransactionStarter
    from deltaresolver.transaction.vacuum.vacuum_table import VacuumOutcome


class TableCalls(abc.ABC):
    """One call for each statement. Columns are named as SQL names them: `a`, `s.b`, with backticks around odd names.

    Those that change columns, constraints or layout commit, or with `dry_run` only return what would come of it. They
    raise `StatementUnreadableError` for names and types that cannot be read, `UnknownColumnError`, what the change
    itself names, and as `change_table`.
    """

    @property
    @abc.abstractmethod
    def starter(self) -> TransactionStarter:
        """What all transactions of this handle have in common."""

    @abc.abstractmethod
    def update(self) -> Snapshot:
        """The latest state, looking for new commits."""

    @abc.abstractmethod
    def _forget(self) -> None:
        """Look for a newer version when the table is asked for the next time."""

    @abc.abstractmethod
    def change(self, change: TableChange, *, row_check: RowCheck | None = None, dry_run: bool = False) -> AlterOutcome:
        """Carry a change out, or with `dry_run` only say what would come of it. Raises as `change_table`."""

    def add_columns(self, columns: str, *, dry_run: bool = False) -> AlterOutcome:
        """Add columns: `"x INT COMMENT 'c' AFTER a, s.y STRING"`. Raises `ColumnChangeRefusedError`."""
        from deltaresolver.transaction.alter.add_columns import AddColumns
        from deltaresolver.transaction.ddl.read_alter import read_added
        from deltaresolver.transaction.ddl.token_stream import read_all

        return self.change(AddColumns(read_all(columns, read_added)), dry_run=dry_run)

    def drop_columns(self, *columns: str, if_exists: bool = False, dry_run: bool = False) -> AlterOutcome:
        """Drop columns, which takes column mapping. Raises `ColumnChangeRefusedError`, `ClusteringError`."""
        from deltaresolver.transaction.alter.drop_columns import DropColumns
        from deltaresolver.transaction.ddl.token_stream import TokenStream, read_all

        paths = tuple(read_all(column, TokenStream.read_path) for column in columns)
        return self.change(DropColumns(paths, if_exists), dry_run=dry_run)

    def rename_column(self, column: str, name: str, *, dry_run: bool = False) -> AlterOutcome:
        """Give a column another name, which takes column mapping. Raises `ColumnChangeRefusedError`."""
        from deltaresolver.transaction.alter.rename_column import RenameColumn
        from deltaresolver.transaction.ddl.token_stream import TokenStream, read_all

        return self.change(RenameColumn(read_all(column, TokenStream.read_path), name), dry_run=dry_run)

    def replace_columns(self, columns: str, *, dry_run: bool = False) -> AlterOutcome:
        """Give the table this list of columns, where it only adds, drops, orders and comments them.

        Raises `ColumnChangeRefusedError`.
        """
        from deltaresolver.transaction.alter.replace_columns import ReplaceColumns
        from deltaresolver.transaction.ddl.read_alter import read_replaced
        from deltaresolver.transaction.ddl.token_stream import read_all

        return self.change(ReplaceColumns(read_all(f"({columns})", read_replaced)), dry_run=dry_run)

    def change_column(  # noqa: PLR0913 - one argument for each thing that may change
        self,
        column: str,
        *,
        type: str | None = None,  # noqa: A002 - the word of ALTER COLUMN
        comment: str | None = None,
        nullable: bool | None = None,
        first: bool = False,
        after: str | None = None,
        default: str | None = None,
        drop_default: bool = False,
        dry_run: bool = False,
    ) -> AlterOutcome:
        """Change a column; what is left out stays as it is. Raises `ColumnChangeRefusedError`."""
        from deltaresolver.transaction.alter.change_column import ChangeColumns, ColumnChange
        from deltaresolver.transaction.ddl.column_definitions import Position
        from deltaresolver.transaction.ddl.data_types import read_type
        from deltaresolver.transaction.ddl.token_stream import TokenStream, read_all

        change = ColumnChange(
            read_all(column, TokenStream.read_path),
            None if type is None else read_all(type, read_type),
            comment,
            nullable,
            Position(after) if first or after is not None else None,
            default,
            drop_default,
        )
        return self.change(ChangeColumns((change,)), dry_run=dry_run)

    def add_constraint(
        self, name: str, condition: str, *, row_check: RowCheck | None = None, dry_run: bool = False
    ) -> AlterOutcome:
        """Ask every row to satisfy a condition in Spark SQL. Rows that are there take a `row_check`.

        Raises `ConstraintRefusedError`.
        """
        from deltaresolver.transaction.alter.constraints import AddConstraint

        return self.change(AddConstraint(name, condition), row_check=row_check, dry_run=dry_run)

    def drop_constraint(self, name: str, *, if_exists: bool = False, dry_run: bool = False) -> AlterOutcome:
        """Ask for it no longer. Raises `ConstraintRefusedError`."""
        from deltaresolver.transaction.alter.constraints import DropConstraint

        return self.change(DropConstraint(name, if_exists), dry_run=dry_run)

    def cluster_by(self, *columns: str, dry_run: bool = False) -> AlterOutcome:
        """Lay files out by these columns from now on, by none to stop. Raises `ClusteringError`."""
        from deltaresolver.transaction.alter.cluster_by import ClusterBy
        from deltaresolver.transaction.ddl.token_stream import TokenStream, read_all

        paths = tuple(read_all(column, TokenStream.read_path) for column in columns)
        return self.change(ClusterBy(paths), dry_run=dry_run)

    def drop_feature(self, feature: str, *, truncate_history: bool = False, dry_run: bool = False) -> DropOutcome:
        """Take a feature away, as ALTER TABLE DROP FEATURE does; with `dry_run` only say what would come of it.

        Raises as `deltaresolver.transaction.drop.drop_feature.drop_feature`.
        """
        from deltaresolver.transaction.drop.drop_feature import drop_feature

        outcome = drop_feature(self.starter, feature, truncate_history=truncate_history, dry_run=dry_run)
        self._forget()
        return outcome

    def vacuum(
        self,
        retention_hours: float | None = None,
        *,
        kind: str | None = None,
        dry_run: bool = False,
        inventory: pa.Table | None = None,
    ) -> VacuumOutcome:
        """Delete the files that no retained version needs; with `dry_run` only find them.

        Without `retention_hours`, `delta.deletedFileRetentionDuration` counts. `kind` is "FULL", which lists the
        table's folder, or "LITE", which reads the log. An `inventory` (`path`, `length`, `isDir`, `modificationTime`)
        is looked through instead of the folder. Raises as
        `deltaresolver.transaction.vacuum.vacuum_table.vacuum_table`, and `ArgumentInvalidError`.
        """
        from deltaresolver.transaction.vacuum.request import VacuumKind, VacuumRequest
        from deltaresolver.transaction.vacuum.vacuum_table import vacuum_table

        outcome = vacuum_table(self.starter, VacuumRequest(retention_hours, VacuumKind.of(kind), dry_run, inventory))
        self._forget()
        return outcome

    def restore(self, version: int | None = None, timestamp: str | None = None) -> RestoreOutcome:
        """Commit the state of an earlier version, or of a moment, as the newest one.

        Raises as `deltaresolver.transaction.restore_table.restore_table`, and `PropertyInvalidError` unless one of the
        two is given.
        """
        from deltaresolver.errors import PropertyInvalidError
        from deltaresolver.transaction.restore_table import restore_table

        if (version is None) == (timestamp is None):
            raise PropertyInvalidError(
                "Either the version or timestamp should be provided for restore.",
                fix="Give one of the two, `--version` or `--timestamp` on the command line; the history has both.",
            )
        outcome = restore_table(self.starter, version, timestamp)
        self._forget()
        return outcome

    def upgrade_protocol(self, reader_version: int, writer_version: int) -> int | None:
        """Raise the protocol to these versions; the version committed, None where it is like this already.

        Raises as `deltaresolver.transaction.upgrade_protocol.upgrade_protocol`.
        """
        from deltaresolver.transaction.upgrade_protocol import upgrade_protocol

        committed = upgrade_protocol(self.starter, reader_version, writer_version)
        self._forget()
        return committed

    def generate_symlink_manifests(self) -> int:
        """Write the manifests for engines that cannot read the log; how many there are now.

        Raises as `deltaresolver.transaction.symlink_manifest.generate_symlink_manifests`.
        """
        from deltaresolver.transaction.symlink_manifest import generate_symlink_manifests

        return generate_symlink_manifests(self.update())
