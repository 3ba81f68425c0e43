"""The grammar of ALTER TABLE."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from deltaresolver.model.facts.columns import is_generated, is_identity
from deltaresolver.model.schema import FieldPath, StructField
from deltaresolver.transaction.alter.add_columns import AddColumns
from deltaresolver.transaction.alter.change_column import ChangeColumns, ColumnChange
from deltaresolver.transaction.alter.cluster_by import ClusterBy
from deltaresolver.transaction.alter.constraints import AddConstraint, DropConstraint
from deltaresolver.transaction.alter.drop_columns import DropColumns
from deltaresolver.transaction.alter.rename_column import RenameColumn
from deltaresolver.transaction.alter.replace_columns import ReplaceColumns
from deltaresolver.transaction.alter.table_change import TableChange
from deltaresolver.transaction.ddl.column_definitions import (
    ColumnDefinition,
    read_default,
    read_definition,
    read_list,
    read_position,
)
from deltaresolver.transaction.ddl.data_types import read_type
from deltaresolver.transaction.ddl.misspelt import find_misspelt
from deltaresolver.transaction.ddl.read_properties import read_keys, read_properties
from deltaresolver.transaction.ddl.statements import (
    AlterProperties,
    AlterTable,
    DropFeatureStatement,
    Statement,
)
from deltaresolver.transaction.ddl.token_stream import Read, TokenStream
from deltaresolver.transaction.metadata.properties import ensure_noted_in_the_table


def read_alter(stream: TokenStream) -> Statement:
    """What follows ALTER TABLE.

    Raises `StatementUnreadableError`, `StatementUnsupportedError` and `TablePropertyRefusedError`.
    """
    table = ".".join(stream.read_path())
    if stream.takes("SET", "TBLPROPERTIES"):
        changes = read_properties(stream)
        ensure_noted_in_the_table(changes, "set")
        return AlterProperties(table, changes)
    if stream.takes("UNSET", "TBLPROPERTIES"):
        stream.takes("IF", "EXISTS")
        keys = read_keys(stream)
        ensure_noted_in_the_table(keys, "unset")
        return AlterProperties(table, to_unset=keys)
    if stream.takes("DROP", "FEATURE"):
        feature = stream.read_string() if stream.sees_string else stream.read_name()
        return DropFeatureStatement(table, feature, stream.takes("TRUNCATE", "HISTORY"))
    for words, read in _CHANGES:
        if stream.takes(*words):
            return AlterTable(table, read(stream))
    raise find_misspelt(stream, _FORMS) or stream.unsupported("this form of ALTER TABLE has no call here")


def read_changed_column(stream: TokenStream) -> ColumnChange:
    """One column with what is to change about it. Raises as `read_alter`."""
    return _read_action(stream, stream.read_path())


def _read_action(stream: TokenStream, path: FieldPath) -> ColumnChange:
    if stream.takes("TYPE"):
        return ColumnChange(path, type=read_type(stream))
    if stream.takes("COMMENT"):
        return ColumnChange(path, comment=stream.read_string())
    if stream.takes("SET", "NOT", "NULL"):
        return ColumnChange(path, nullable=False)
    if stream.takes("DROP", "NOT", "NULL"):
        return ColumnChange(path, nullable=True)
    if stream.takes("SET", "DEFAULT"):
        return ColumnChange(path, default=read_default(stream))
    if stream.takes("DROP", "DEFAULT"):
        return ColumnChange(path, drops_default=True)
    if stream.sees("SYNC", "IDENTITY"):
        raise stream.unsupported("only the rows show how far an identity column has counted")
    position = read_position(stream)
    if position is None:
        raise stream.unreadable("TYPE, COMMENT, SET, DROP, FIRST or AFTER is expected")
    return ColumnChange(path, position=position)


def _some(stream: TokenStream, read_one: Callable[[TokenStream], Read]) -> tuple[Read, ...]:
    """One or several, in parentheses or not."""
    if stream.sees("("):
        return read_list(stream, read_one)
    found = [read_one(stream)]
    while stream.takes(","):
        found.append(read_one(stream))
    return tuple(found)


def read_added(stream: TokenStream) -> tuple[ColumnDefinition, ...]:
    """The columns of ADD COLUMNS, which cannot be generated. Raises `StatementUnreadableError`."""
    found = _some(stream, read_definition)
    if any(is_generated(one.field) or is_identity(one.field) for one in found):
        raise stream.unreadable("a column that is added later cannot be generated; nothing more is expected")
    return found


def read_replaced(stream: TokenStream) -> tuple[StructField, ...]:
    """The columns of REPLACE COLUMNS. Raises `StatementUnreadableError`."""
    found = read_list(stream, read_definition)
    if any(not one.field.nullable or len(one.path) > 1 or one.position is not None for one in found):
        raise stream.unreadable("columns of the table with type and comment are expected, and nothing else")
    return tuple(one.field for one in found)


def _read_dropped(stream: TokenStream) -> DropColumns:
    if_exists = stream.takes("IF", "EXISTS")
    return DropColumns(_some(stream, TokenStream.read_path), if_exists)


def _read_renamed(stream: TokenStream) -> RenameColumn:
    path = stream.read_path()
    stream.expect("TO")
    return RenameColumn(path, stream.read_name())


def _read_changed(stream: TokenStream) -> ChangeColumns:
    stream.takes("COLUMN")
    changes = [read_changed_column(stream)]
    while stream.takes(","):
        changes.append(read_changed_column(stream))
    return ChangeColumns(tuple(changes))


def _read_hive_changed(stream: TokenStream) -> ChangeColumns:
    """As ALTER COLUMN, or with the whole column stated again: `CHANGE COLUMN a a INT COMMENT 'x'`."""
    stream.takes("COLUMN")
    path = stream.read_path()
    if any(map(stream.sees, _ACTIONS)):
        return ChangeColumns((_read_action(stream, path),))
    told = read_definition(stream)
    if len(told.path) > 1:
        raise stream.unreadable("the new name of a column is a name and no path")
    if told.path[-1].lower() != path[-1].lower():
        raise stream.unsupported("CHANGE COLUMN does not rename; RENAME COLUMN does")
    comment = (told.field.metadata or {}).get("comment")
    change = ColumnChange(path, type=told.field.type, comment=comment, position=told.position)
    return ChangeColumns((change if told.field.nullable else attrs.evolve(change, nullable=False),))


_ACTIONS = ("TYPE", "COMMENT", "SET", "DROP", "FIRST", "AFTER", "SYNC")


def _read_constraint(stream: TokenStream) -> AddConstraint:
    name = stream.read_name()
    if not stream.takes("CHECK"):
        raise stream.unsupported("Delta has no constraints but CHECK and NOT NULL")
    return AddConstraint(name, stream.written(stream.read_parenthesized()))


def _read_dropped_constraint(stream: TokenStream) -> DropConstraint:
    if_exists = stream.takes("IF", "EXISTS")
    return DropConstraint(stream.read_name(), if_exists)


def _read_clustering(stream: TokenStream) -> ClusterBy:
    return ClusterBy(() if stream.takes("NONE") else read_list(stream, TokenStream.read_path))


_CHANGES: tuple[tuple[tuple[str, ...], Callable[[TokenStream], TableChange]], ...] = (
    (("ADD", "COLUMNS"), lambda stream: AddColumns(read_added(stream))),
    (("ADD", "COLUMN"), lambda stream: AddColumns(read_added(stream))),
    (("ADD", "CONSTRAINT"), _read_constraint),
    (("DROP", "COLUMNS"), _read_dropped),
    (("DROP", "COLUMN"), _read_dropped),
    (("DROP", "CONSTRAINT"), _read_dropped_constraint),
    (("RENAME", "COLUMN"), _read_renamed),
    (("REPLACE", "COLUMNS"), lambda stream: ReplaceColumns(read_replaced(stream))),
    (("ALTER",), _read_changed),
    (("CHANGE",), _read_hive_changed),
    (("CLUSTER", "BY"), _read_clustering),
)
_FORMS = ("SET TBLPROPERTIES", "UNSET TBLPROPERTIES", "DROP FEATURE", *(" ".join(words) for words, _ in _CHANGES))
