"""Steps as SQL: the same text for the library's `ds.sql` and for delta-spark's `spark.sql`."""

from __future__ import annotations

from collections.abc import Sequence

from tests.differential.program import (
    DDL,
    DELETE,
    IDENTITY,
    INSERT,
    NOT_MATCHED,
    AddCheck,
    AddColumn,
    Append,
    Clause,
    Clone,
    Column,
    Convert,
    Create,
    Delete,
    DropColumn,
    Merge,
    Optimize,
    Overwrite,
    RenameColumn,
    Reorg,
    ReplaceWhere,
    Restore,
    SetProperties,
    Step,
    Update,
    Vacuum,
    WidenColumn,
    quoted,
)

VIEW = "differential_source"
"""The temporary view that the rows of a step are in."""


def statement(step: Step, table: str, *, columns: Sequence[str] = (), version: int = 0, into: str = "") -> str | None:
    """The step on `table` as SQL spells it; None for a step that has no statement.

    columns   the table's, for what goes by their place
    version   of a RESTORE or CLONE
    into      the path of a CLONE or CONVERT
    """
    match step:
        case Create():
            return _creation(step, table)
        case Append():
            evolution = "WITH SCHEMA EVOLUTION " if step.merge_schema else ""
            return f"INSERT {evolution}INTO {table} BY NAME SELECT * FROM {VIEW}"
        case Overwrite():
            return f"INSERT OVERWRITE {table} BY NAME SELECT * FROM {VIEW}"
        case ReplaceWhere():
            named = ", ".join(map(quoted, columns))
            return f"INSERT INTO {table} REPLACE WHERE {step.condition} SELECT {named} FROM {VIEW}"
        case Delete():
            return f"DELETE FROM {table}{where(step.condition)}"
        case Update():
            return f"UPDATE {table} SET {assigned(step.values)}{where(step.condition)}"
        case Merge():
            evolution = "WITH SCHEMA EVOLUTION " if step.evolves else ""
            clauses = "\n".join(map(clause_text, step.clauses))
            return f"MERGE {evolution}INTO {table} AS target USING {VIEW} AS source ON {step.condition}\n{clauses}"
        case Clone():
            return f"CREATE TABLE delta.`{into}` SHALLOW CLONE {table} VERSION AS OF {version}"
        case Restore():
            return f"RESTORE TABLE {table} TO VERSION AS OF {version}"
        case _:
            return _upkeep(step, table, into) or alteration(step, table)


def _upkeep(step: Step, table: str, into: str) -> str | None:
    match step:
        case Optimize():
            order = f" ZORDER BY ({', '.join(map(quoted, step.order_by))})" if step.order_by else ""
            return f"OPTIMIZE {table}{where(step.condition)}{order}"
        case Reorg():
            return f"REORG TABLE {table} APPLY (PURGE)"
        case Vacuum():
            return f"VACUUM {table}{'' if step.retains else ' RETAIN 0 HOURS'}{' LITE' if step.is_lite else ''}"
        case Convert():
            parts = f" PARTITIONED BY ({', '.join(step.partition_by)})" if step.partition_by else ""
            return f"CONVERT TO DELTA parquet.`{into}`{parts}"
        case _:
            return None


def alteration(step: Step, table: str) -> str | None:
    """ALTER TABLE; None for other steps."""
    match step:
        case AddColumn():
            change = f"ADD COLUMNS ({definition(step.column)})"
        case RenameColumn():
            change = f"RENAME COLUMN {quoted(step.name)} TO {quoted(step.to)}"
        case DropColumn():
            change = f"DROP COLUMNS ({quoted(step.name)})"
        case WidenColumn():
            change = f"ALTER COLUMN {quoted(step.name)} TYPE {step.type}"
        case SetProperties():
            change = f"SET TBLPROPERTIES ({listed(step.properties)})"
        case AddCheck():
            change = f"ADD CONSTRAINT {step.name} CHECK ({step.condition})"
        case _:
            return None
    return f"ALTER TABLE {table} {change}"


def _creation(step: Create, table: str) -> str:
    columns = f" ({definitions(step)})" if step.way == DDL else ""
    parts = ", ".join(map(quoted, step.partition_by))
    parted = f" PARTITIONED BY ({parts})" if parts else ""
    properties = f" TBLPROPERTIES ({listed(step.properties)})" if step.properties else ""
    rows = "" if step.way == DDL else f" AS SELECT * FROM {VIEW}"
    return f"CREATE TABLE {table}{columns} USING delta{parted}{properties}{rows}"


def definitions(step: Create) -> str:
    """All columns in DDL."""
    shown = list(map(definition, step.columns))
    if step.identity is not None:
        first, by = step.identity
        shown.append(f"{IDENTITY} BIGINT GENERATED ALWAYS AS IDENTITY (START WITH {first} INCREMENT BY {by})")
    return ", ".join(shown)


def definition(column: Column) -> str:
    """A column in DDL."""
    made = "" if column.generated is None else f" GENERATED ALWAYS AS (cast({column.generated} as {column.type}))"
    default = "" if column.default is None else f" DEFAULT {column.default}"
    return f"{quoted(column.name)} {column.type}{made}{default}"


def where(condition: str | None) -> str:
    """The clause of a condition."""
    return "" if condition is None else f" WHERE {condition}"


def assigned(values: tuple[tuple[str, str], ...]) -> str:
    """What follows SET."""
    return ", ".join(f"{name} = {value}" for name, value in values)


def listed(properties: tuple[tuple[str, str], ...]) -> str:
    """Properties in SQL."""
    return ", ".join(f"'{key}' = '{value}'" for key, value in properties)


def clause_text(clause: Clause) -> str:
    """A clause of MERGE in SQL."""
    condition = "" if clause.condition is None else f" AND {clause.condition}"
    kind = "not matched" if clause.rows == NOT_MATCHED else clause.rows
    if clause.act == DELETE:
        act = "DELETE"
    elif clause.act == INSERT:
        values = clause.values or ()
        names = ", ".join(name for name, _ in values)
        act = f"INSERT ({names}) VALUES ({', '.join(value for _, value in values)})" if clause.values else "INSERT *"
    else:
        act = "UPDATE SET *" if clause.values is None else f"UPDATE SET {assigned(clause.values)}"
    return f"WHEN {kind.upper()}{condition} THEN {act}"
