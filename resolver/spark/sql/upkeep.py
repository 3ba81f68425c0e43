"""VACUUM, OPTIMIZE, RESTORE, GENERATE, REORG, CONVERT TO DELTA, REFRESH and UNCACHE, by calls of the DataFrame API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.spark.block.active import ensure_no_block
from deltaresolver.spark.maintenance.calls import reorg_upgrade_uniform
from deltaresolver.spark.maintenance.convert.convert import convert_to_delta
from deltaresolver.spark.maintenance.inventory import inventory_table
from deltaresolver.spark.maintenance.optimize import Optimize
from deltaresolver.spark.maintenance.optimize import optimize as carry_out
from deltaresolver.spark.maintenance.optimize_builder import metrics_row
from deltaresolver.spark.names.identifiers import quoted_name, shown_name
from deltaresolver.spark.names.named_table import NamedTable
from deltaresolver.spark.reading.read import read
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.descriptions import table_or_path
from deltaresolver.spark.sql.relations import read_travel
from deltaresolver.spark.sql.words import StatementWords
from deltaresolver.spark.tables import DeltaTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHOWN_FILES = 1000
"""How many paths a dry run of VACUUM gives, as in delta-spark."""


def vacuum(context: SqlContext, words: StatementWords, common: str) -> DataFrame:
    """VACUUM: one row with the table's path; for DRY RUN the files that would go."""
    del common
    words.expect("VACUUM")
    table = table_or_path(context, words, "VACUUM")
    hours: float | None = None
    kind: str | None = None
    is_dry = False
    inventory: DataFrame | None = None
    while not words.at_end:
        if words.takes("RETAIN"):
            hours = float(words.read_number())
            words.expect("HOURS")
        elif words.takes("DRY", "RUN"):
            is_dry = True
        elif words.sees("LITE") or words.sees("FULL"):
            kind = words.read("a kind").key
        elif words.takes("USING", "INVENTORY") and inventory is None:
            inventory = _read_inventory(context, words)
        else:
            raise words.unreadable("RETAIN, DRY RUN, LITE, FULL or one USING INVENTORY is expected")
    opened = context.opened(table)
    ensure_no_block(opened, "VACUUM")
    listed = None if inventory is None else inventory_table(opened.log.store, inventory)
    outcome = opened.vacuum(hours, kind=kind, dry_run=is_dry, inventory=listed)
    location = opened.log.store.location.rstrip("/")
    paths = [(f"{location}/{path}",) for path in outcome.paths[:SHOWN_FILES]] if is_dry else [(location,)]
    return context.spark.createDataFrame(paths, "path string")


def _read_inventory(context: SqlContext, words: StatementWords) -> DataFrame:
    """A query in parentheses, or the name of a table or view."""
    if words.sees("("):
        return context.query(words.read_group())
    first = words.place
    words.read_path()
    return context.query(f"TABLE {words.written(first, words.place)}")


def optimize(context: SqlContext, words: StatementWords, common: str) -> DataFrame:
    """OPTIMIZE [FULL] [WHERE ...] [ZORDER BY ...]."""
    del common
    words.expect("OPTIMIZE")
    words.takes("TABLE")
    table = table_or_path(context, words, "OPTIMIZE")
    is_full = words.takes("FULL")
    where = (words.text_to("ZORDER"),) if words.takes("WHERE") else ()
    columns = _read_order(words) if not words.at_end else ()
    return _optimized(context, table, Optimize(where, columns, is_full=is_full))


def _read_order(words: StatementWords) -> tuple[str, ...]:
    words.expect("ZORDER", "BY")
    has_parentheses = words.takes("(")
    columns = [shown_name(words.read_path())]
    while words.takes(","):
        columns.append(shown_name(words.read_path()))
    if has_parentheses:
        words.expect(")")
    words.expect_end()
    return tuple(columns)


def _optimized(context: SqlContext, table: NamedTable, asked: Optimize) -> DataFrame:
    opened = context.opened(table)
    ensure_no_block(opened, "OPTIMIZE")
    return metrics_row(context.spark, opened, carry_out(context.spark, opened, asked))


def restore(context: SqlContext, words: StatementWords, common: str) -> DataFrame:
    """RESTORE [TABLE] ... TO VERSION AS OF or TIMESTAMP AS OF."""
    del common
    words.expect("RESTORE")
    words.takes("TABLE")
    table = table_or_path(context, words, "RESTORE")
    words.takes("TO")
    travel = read_travel(words)
    if travel is None:
        raise words.unreadable("VERSION AS OF or TIMESTAMP AS OF is expected")
    words.expect_end()
    version, timestamp = context.moment(travel)
    target = DeltaTable(context.spark, context.opened(table))
    return target.restoreToTimestamp(str(timestamp)) if version is None else target.restoreToVersion(version)


def generate(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """GENERATE symlink_format_manifest FOR TABLE."""
    del common
    words.expect("GENERATE")
    mode = words.read_name()
    words.expect("FOR", "TABLE")
    table = context.target(words)
    if table is None:
        return None
    words.expect_end()
    DeltaTable(context.spark, context.opened(table)).generate(mode.lower())
    return context.empty()


def reorg(context: SqlContext, words: StatementWords, common: str) -> DataFrame:
    """REORG TABLE ... APPLY (PURGE) and APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = n))."""
    del common
    words.expect("REORG", "TABLE")
    table = table_or_path(context, words, "REORG TABLE")
    where = (words.text_to("APPLY"),) if words.takes("WHERE") else ()
    words.expect("APPLY", "(")
    if words.takes("UPGRADE", "UNIFORM"):
        words.expect("(", "ICEBERG_COMPAT_VERSION", "=")
        reorg_upgrade_uniform(table.path, int(words.read_number()))
    words.expect("PURGE", ")")
    words.expect_end()
    return _optimized(context, table, Optimize(where, purges=True))


def convert(context: SqlContext, words: StatementWords, common: str) -> DataFrame:
    """CONVERT TO DELTA parquet.`path` or a name [NO STATISTICS] [PARTITIONED BY (...)]."""
    del common
    words.expect("CONVERT", "TO", "DELTA")
    name = words.read_path()
    has_none = words.takes("NO", "STATISTICS")
    partitioning = words.read_group() if words.takes("PARTITIONED", "BY") else None
    words.expect_end()
    convert_to_delta(context.spark, quoted_name(name), partitioning, statistics=not has_none)
    return context.empty()


def refresh(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """REFRESH [TABLE]: whoever reads a Delta table looks at its log anyway."""
    del common
    words.expect("REFRESH")
    words.takes("TABLE")
    if words.at_end or context.target(words) is None:
        return None
    words.expect_end()
    return context.empty()


def uncache(context: SqlContext, words: StatementWords, common: str) -> DataFrame | None:
    """UNCACHE TABLE [IF EXISTS]: what CACHE TABLE keeps of the version that the table has now."""
    del common
    words.expect("UNCACHE", "TABLE")
    words.takes("IF", "EXISTS")
    table = context.target(words)
    if table is None:
        return None
    words.expect_end()
    read(context.spark, table.path).unpersist()
    return context.empty()
