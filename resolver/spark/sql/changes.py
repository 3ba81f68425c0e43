"""UPDATE and DELETE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.errors import SqlUnsupportedError
from deltaresolver.spark.changes.assignments import target_of
from deltaresolver.spark.changes.delete import delete_rows
from deltaresolver.spark.changes.delete import truncate as delete_all
from deltaresolver.spark.changes.update import update_rows
from deltaresolver.spark.names.identifiers import quoted_name
from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.defaults import default_of
from deltaresolver.spark.sql.refusals import unsupported, view
from deltaresolver.spark.sql.words import StatementWords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltaresolver.model.schema import StructField, StructType
    from deltaresolver.transaction.commit.committed import Committed


def delete(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """DELETE FROM."""
    words.expect("DELETE", "FROM")
    table = context.target(words)
    if table is None:
        view(context, words, "DELETE")
        return None
    _ensure_no_common_tables(common, "DELETE", table)
    alias = read_alias(words, table)
    condition = words.text_to() if words.takes("WHERE") else None
    words.expect_end()
    opened = context.opened(table)
    with context.views(*([] if condition is None else [condition])) as texts:
        committed = delete_rows(context.spark, opened, next(iter(texts), None), alias)
    return context.counted(num_affected_rows=_count(committed, "numDeletedRows"))


def truncate(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """TRUNCATE TABLE: all rows leave in one commit, and the history stays."""
    del common
    words.expect("TRUNCATE", "TABLE")
    table = context.target(words)
    if table is None:
        view(context, words, "TRUNCATE TABLE")
        return None
    if words.sees("PARTITION"):
        raise SqlUnsupportedError(
            f"Operation not allowed: TRUNCATE TABLE does not take a partition of the Delta table {table}.",
            fix="DELETE FROM with a condition deletes the rows of a partition.",
            details={"table": str(table)},
            delta_class="DeltaAnalysisException",
            delta_condition="DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED",
        )
    words.expect_end()
    delete_all(context.spark, context.opened(table))
    return context.empty()


def update(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """UPDATE ... SET."""
    words.expect("UPDATE")
    table = context.target(words)
    if table is None:
        view(context, words, "UPDATE")
        return None
    _ensure_no_common_tables(common, "UPDATE", table)
    alias = read_alias(words, table)
    opened = context.opened(table)
    words.expect("SET")
    values = read_assignments(words, opened.metadata.schema, alias)
    condition = words.text_to() if words.takes("WHERE") else None
    words.expect_end()
    given = [*values.values(), *([] if condition is None else [condition])]
    with context.views(*given) as texts:
        replaced = dict(zip(values, texts, strict=False))
        where = None if condition is None else texts[-1]
        committed = update_rows(context.spark, opened, replaced, where, alias)
    return context.counted(num_affected_rows=_count(committed, "numUpdatedRows"))


def read_alias(words: StatementWords, table: NamedTable, *stops: str) -> str | None:
    """The alias behind a target's name; its last name without one."""
    if words.takes("AS"):
        return words.read_name()
    word = words.peek()
    if word is not None and word.is_name and word.key not in ("SET", "WHERE", "USING", *stops):
        return words.read_name()
    return table.alias


def read_assignments(words: StatementWords, schema: StructType, alias: str | None, *stops: str) -> dict[str, str]:
    """`a = 1, t.s.b = DEFAULT`, up to WHERE or one of `stops`."""
    found: dict[str, str] = {}
    while True:
        name = quoted_name(words.read_path())
        words.expect("=")
        value = words.text_to(",", "WHERE", *stops)
        if name in found:
            raise words.unreadable(f"{name} is assigned twice; something else is expected")
        found[name] = default_of(_field(name, schema, alias)) if value.upper() == "DEFAULT" else value
        if not words.takes(","):
            return found


def _field(name: str, schema: StructType, alias: str | None) -> StructField:
    path = target_of(name, schema, alias)
    return next(field for field in schema.fields if field.name == path[0])


def _count(committed: Committed | None, metric: str) -> int:
    if committed is None:
        return 0
    metrics = committed.commit_info.fields.get("operationMetrics")
    found = metrics.get(metric) if isinstance(metrics, dict) else None
    return -1 if found is None else int(str(found))


def _ensure_no_common_tables(common: str, what: str, table: NamedTable) -> None:
    if common:
        raise unsupported(
            f"{what} behind WITH", table, "Write the query of WITH as a subquery of the condition, or MERGE."
        )
