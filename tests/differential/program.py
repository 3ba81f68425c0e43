"""A program: steps over one table, as plain values that print as readable Python and shrink without a session."""

from __future__ import annotations

from typing import TypeAlias

import attrs

Value: TypeAlias = "str | int | bool | tuple[Value, ...] | None"
"""Fractions, decimals, days, moments and bytes are texts, so that every program prints as Python that reads it back.

Structs and arrays are tuples."""

WRITE, SOURCE = "ds.write", "format"
"""The two ways into Spark: the DataFrame API and the data source."""
DDL = "ddl"
"""The third way to make a table: CREATE TABLE, without rows."""
SQL = "sql"
"""The way of every statement that has a text: `ds.sql`, or delta-spark's `spark.sql`."""

UPDATE, DELETE, INSERT = "update", "delete", "insert"
MATCHED, NOT_MATCHED, BY_SOURCE = "matched", "not matched", "not matched by source"

IDENTITY = "_identity"
"""The column that a table counts its rows in, where it has one; programs never name it."""
UNSTABLE = "{uuid}"
"""As a text of a MERGE's source: another text whenever it is evaluated."""

Assignments: TypeAlias = "tuple[tuple[str, str], ...]"
"""Names of columns and Spark SQL."""


@attrs.frozen(repr=False)
class Column:
    """A column of the table or of a source; a generated one has its expression, another perhaps a default."""

    name: str
    type: str
    generated: str | None = None
    default: str | None = None

    def __repr__(self) -> str:
        parts = (self.name, self.type) if self.generated is None else (self.name, self.type, self.generated)
        default = "" if self.default is None else f", default={self.default!r}"
        return f"Column({', '.join(map(repr, parts))}{default})"


@attrs.frozen
class Rows:
    """Rows to write or merge, spread over at most `files` tasks."""

    columns: tuple[Column, ...]
    values: tuple[tuple[Value, ...], ...]
    files: int = 1


@attrs.frozen
class Create:
    """A new table; by DDL, rows are only an example of its columns and none is written."""

    rows: Rows
    columns: tuple[Column, ...]
    partition_by: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    way: str = WRITE
    identity: tuple[int, int] | None = None
    """The first number and the step of `IDENTITY`."""


@attrs.frozen
class Append:
    """More rows."""

    rows: Rows
    way: str = WRITE
    merge_schema: bool = False


@attrs.frozen
class Overwrite:
    """All rows replaced."""

    rows: Rows
    way: str = WRITE


@attrs.frozen
class ReplaceWhere:
    """The rows of a condition replaced."""

    condition: str
    rows: Rows
    way: str = WRITE


@attrs.frozen
class OverwritePartitions:
    """Partitions replaced that get rows."""

    rows: Rows
    way: str = WRITE


@attrs.frozen
class Delete:
    """Rows of a condition deleted, all without one; `typed` gives it as a Column."""

    condition: str | None
    typed: bool = False
    way: str = WRITE


@attrs.frozen
class Update:
    """Rows of a condition changed, all without one; `typed` gives it as a Column."""

    condition: str | None
    values: Assignments
    typed: bool = False
    way: str = WRITE


@attrs.frozen
class Clause:
    """A clause of a MERGE; without values it takes all columns of the source."""

    rows: str
    act: str
    condition: str | None = None
    values: Assignments | None = None


@attrs.frozen
class Merge:
    """Rows of a source merged; conditions and values call the table `target` and the source `source`."""

    source: Rows
    condition: str
    clauses: tuple[Clause, ...]
    evolves: bool = False
    way: str = WRITE


@attrs.frozen
class AddColumn:
    """ALTER TABLE ADD COLUMNS."""

    column: Column
    way: str = WRITE


@attrs.frozen
class RenameColumn:
    """ALTER TABLE RENAME COLUMN, which takes column mapping."""

    name: str
    to: str
    way: str = WRITE


@attrs.frozen
class DropColumn:
    """ALTER TABLE DROP COLUMNS, which takes column mapping."""

    name: str
    way: str = WRITE


@attrs.frozen
class WidenColumn:
    """ALTER TABLE ALTER COLUMN TYPE, which takes type widening."""

    name: str
    type: str
    way: str = WRITE


@attrs.frozen
class SetProperties:
    """ALTER TABLE SET TBLPROPERTIES."""

    properties: tuple[tuple[str, str], ...]
    way: str = WRITE


@attrs.frozen
class AddCheck:
    """ALTER TABLE ADD CONSTRAINT."""

    name: str
    condition: str
    way: str = WRITE


@attrs.frozen
class Optimize:
    """OPTIMIZE, of the partitions of a condition or all, in the order of some columns or none: no row changes."""

    condition: str | None = None
    order_by: tuple[str, ...] = ()
    way: str = WRITE


@attrs.frozen
class Reorg:
    """REORG TABLE APPLY (PURGE): no row changes."""

    way: str = WRITE


@attrs.frozen
class Vacuum:
    """VACUUM, which leaves the files of the last hours alone, or none but those of the latest version."""

    retains: bool = True
    is_lite: bool = False
    way: str = WRITE


@attrs.frozen
class Restore:
    """RESTORE of what the table was so many versions ago."""

    back: int = 1
    way: str = WRITE


@attrs.frozen
class Clone:
    """A shallow clone of the table as it was so many versions ago, in which the program goes on."""

    back: int = 0
    way: str = WRITE


@attrs.frozen
class Convert:
    """The rows as Parquet files in folders of partitions, which become the table that the program goes on in."""

    partition_by: tuple[str, ...] = ()
    way: str = WRITE


@attrs.frozen
class Restart:
    """Handles and caches are dropped."""


@attrs.frozen
class Settings:
    """The session's settings change."""

    ansi: bool = True
    zone: str = "UTC"
    dynamic: bool = False
    """Whether an overwrite replaces only the partitions that get rows."""
    is_exact: bool = False
    """Whether names are other names in other capitals."""


@attrs.frozen
class Probe:
    """Nothing changes: a condition, its negation and its null must give all rows, by both ways."""

    condition: str


Write: TypeAlias = Append | Overwrite | ReplaceWhere | OverwritePartitions
Alter: TypeAlias = AddColumn | RenameColumn | DropColumn | WidenColumn | SetProperties | AddCheck
Upkeep: TypeAlias = Optimize | Reorg | Vacuum | Restore
Move: TypeAlias = Clone | Convert
Step: TypeAlias = Create | Write | Delete | Update | Merge | Alter | Upkeep | Move | Restart | Settings | Probe


@attrs.frozen
class Program:
    """What is done to one table, from its creation on."""

    steps: tuple[Step, ...]
    seed: int | None = None

    def __str__(self) -> str:
        lines = "".join(f"    {step!r},\n" for step in self.steps)
        return f"Program(seed={self.seed}, steps=(\n{lines}))"


def quoted(name: str) -> str:
    """A name as SQL takes it whatever is in it."""
    return "`" + name.replace("`", "``") + "`"
