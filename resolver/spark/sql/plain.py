"""Plain `spark.sql`: what it would only do to Spark's catalog, and what it cannot find, ends in words about `ds.sql`.

Spark asks a data source written in Python nothing when a table of it is made or altered, so the statement itself is
looked at: in the sessions of a process that has called `register`, for Delta tables alone.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import DeltaResolverError
from deltaresolver.expressions.text.tokens import UnclosedError
from deltaresolver.spark.names.identifiers import shown_name
from deltaresolver.spark.session import PLAIN, UNGUARDED, find_setting
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.refusals import unsupported

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SOURCE = "deltaresolver"
INSTEAD = "Call ds.sql(spark, text), or ds.enable(spark) and then spark.sql(text)."
_NOT_FOUND = ("DATA_SOURCE_NOT_FOUND", "delta")
_MAKING = (("CREATE", "TABLE"), ("REPLACE", "TABLE"), ("CREATE", "OR", "REPLACE", "TABLE"))
_CATALOG = "spark.sql.catalog.spark_catalog"


def guard_plain_sql(spark: SparkSession) -> None:
    """Have `sql` of the session's class refuse what would seem to work; once for the process. Others are Spark's."""
    kind: Any = getattr(type(spark), PLAIN, type(spark))
    original = kind.sql
    if hasattr(original, UNGUARDED):
        return

    @functools.wraps(original)
    def sql(self: Any, sqlQuery: str, *args: Any, **kwargs: Any) -> Any:
        if isinstance(sqlQuery, str):
            ensure_carried(self, sqlQuery)
        try:
            return original(self, sqlQuery, *args, **kwargs)
        except Exception as error:
            if all(word in str(error) for word in _NOT_FOUND):
                error.add_note(f"Tables of the provider delta are known to deltaresolver.spark. {INSTEAD}")
            raise

    setattr(sql, UNGUARDED, original)
    kind.sql = sql


def ensure_carried(spark: SparkSession, text: str) -> None:
    """Raises `SqlUnsupportedError` where Spark would make or alter a Delta table in its catalog alone."""
    if not text.lstrip().lower().startswith(("create", "replace", "alter", "--", "/*")):
        return
    try:
        found = _catalog_only(spark, text)
    except (UnclosedError, DeltaResolverError):
        return  # Spark has words of its own; of a table whose catalog disagrees with it, ALTER TABLE is the way back
    if found is not None:
        raise unsupported(*found, INSTEAD)


def _catalog_only(spark: SparkSession, text: str) -> tuple[str, str] | None:
    """What the statement is, and the table's name."""
    words = SqlContext(spark).words(text)
    if words.takes("ALTER", "TABLE"):
        if "delta" in (find_setting(spark, _CATALOG) or "").lower():
            return None  # delta-spark's JAR carries it out
        table = SqlContext(spark).target(words)
        return None if table is None else ("ALTER TABLE in plain spark.sql", str(table))
    making = next((" ".join(keys) for keys in _MAKING if words.sees(*keys)), None)
    if making is None:
        return None
    words.skip_to("TABLE")
    words.expect("TABLE")
    words.takes("IF", "NOT", "EXISTS")
    name = words.read_path()
    words.skip_to("USING", "AS")
    is_ours = words.takes("USING") and words.read_path()[-1].lower() == SOURCE
    return (f"{making} ... USING {SOURCE} in plain spark.sql", shown_name(name)) if is_ours else None
