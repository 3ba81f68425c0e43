"""REFRESH TABLE and UNCACHE TABLE: a Delta table is read from its log each time, so there is little to forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.spark.reading.read import read
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.words import StatementWords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
