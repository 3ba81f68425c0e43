"""Changes of columns, constraints and layout as calls of a table's handle."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deltaresolver.transaction.alter.alter_table import AlterOutcome
    from deltaresolver.transaction.alter.change_table import RowCheck
    from deltaresolver.transaction.alter.table_change import TableChange


class TableCalls(abc.ABC):
    """One call for each change. Columns are named as SQL names them: `a`, `s.b`, with backticks around odd names.

    Every call commits, or with `dry_run` only says what would come of it. All raise `StatementUnreadableError` for
    names and types that cannot be read, `UnknownColumnError`, what the change itself names, and as `change_table`.
    """

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
