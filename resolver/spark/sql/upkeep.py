"""VACUUM, OPTIMIZE, RESTORE, GENERATE, REORG, CONVERT TO DELTA and CLONE, by the calls that DeltaTable has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.spark.block.active import ensure_no_block
from deltaresolver.spark.names.identifiers import quoted_name
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.descriptions import table_or_path
from deltaresolver.spark.sql.refusals import unsupported
from deltaresolver.spark.sql.relations import read_travel
from deltaresolver.spark.sql.words import Words
from deltaresolver.spark.tables import DeltaTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHOWN_FILES = 1000
"""How many paths a dry run of VACUUM gives, as in delta-spark."""


def vacuum(context: SqlContext, words: Words, common: str) -> DataFrame | None:
    """VACUUM: one row with the table's path; for DRY RUN the files that would go."""
    del common
    words.expect("VACUUM")
    table = table_or_path(context, words)
    if table is None:
        return None
    hours: float | None = None
    kind: str | None = None
    is_dry = False
    while not words.at_end:
        if words.takes("RETAIN"):
            hours = float(words.read_number())
            words.expect("HOURS")
        elif words.takes("DRY", "RUN"):
            is_dry = True
        elif words.sees("LITE") or words.sees("FULL"):
            kind = words.read("a kind").key
        elif words.sees("USING"):
            raise unsupported("VACUUM USING INVENTORY", table, "Leave the inventory out: the folder is listed.")
        else:
            raise words.unreadable("RETAIN, DRY RUN, LITE or FULL is expected")
    opened = context.opened(table)
    ensure_no_block(opened, "VACUUM")
    outcome = opened.vacuum(hours, kind=kind, dry_run=is_dry)
    location = opened.log.store.location.rstrip("/")
    paths = [(f"{location}/{path}",) for path in outcome.paths[:SHOWN_FILES]] if is_dry else [(location,)]
    return context.spark.createDataFrame(paths, "path string")


def optimize(context: SqlContext, words: Words, common: str) -> DataFrame | None:
    """OPTIMIZE [FULL] [WHERE ...] [ZORDER BY ...]."""
    del common
    words.expect("OPTIMIZE")
    words.takes("TABLE")
    table = table_or_path(context, words)
    if table is None:
        return None
    if words.sees("FULL"):
        raise unsupported("OPTIMIZE FULL", table, "Use OPTIMIZE.")
    condition = words.text_to("ZORDER") if words.takes("WHERE") else None
    builder = DeltaTable(context.spark, context.opened(table)).optimize()
    builder = builder if condition is None else builder.where(condition)
    if words.at_end:
        return builder.executeCompaction()
    words.expect("ZORDER", "BY")
    has_parentheses = words.takes("(")
    columns = [".".join(words.read_path())]
    while words.takes(","):
        columns.append(".".join(words.read_path()))
    if has_parentheses:
        words.expect(")")
    words.expect_end()
    return builder.executeZOrderBy(columns)


def restore(context: SqlContext, words: Words, common: str) -> DataFrame | None:
    """RESTORE [TABLE] ... TO VERSION AS OF or TIMESTAMP AS OF."""
    del common
    words.expect("RESTORE")
    words.takes("TABLE")
    table = table_or_path(context, words)
    if table is None:
        return None
    words.takes("TO")
    travel = read_travel(words)
    if travel is None:
        raise words.unreadable("VERSION AS OF or TIMESTAMP AS OF is expected")
    words.expect_end()
    version, timestamp = context.moment(travel)
    target = DeltaTable(context.spark, context.opened(table))
    return target.restoreToTimestamp(str(timestamp)) if version is None else target.restoreToVersion(version)


def generate(context: SqlContext, words: Words, common: str) -> DataFrame | None:
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


def reorg(context: SqlContext, words: Words, common: str) -> DataFrame | None:
    """REORG TABLE."""
    del common
    words.expect("REORG", "TABLE")
    table = table_or_path(context, words)
    if table is None:
        return None
    raise unsupported("REORG TABLE", table, "OPTIMIZE writes files with deletion vectors again without them.")


def convert(context: SqlContext, words: Words, common: str) -> DataFrame:
    """CONVERT TO DELTA parquet.`path` [NO STATISTICS] [PARTITIONED BY (...)]."""
    del common
    words.expect("CONVERT", "TO", "DELTA")
    name = words.read_path()
    if words.sees("NO", "STATISTICS"):
        raise unsupported("CONVERT ... NO STATISTICS", quoted_name(name), "Leave NO STATISTICS out.")
    partitioning = words.read_group() if words.takes("PARTITIONED", "BY") else None
    words.expect_end()
    DeltaTable.convertToDelta(context.spark, quoted_name(name), partitioning)
    return context.empty()
