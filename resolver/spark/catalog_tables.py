"""The Delta tables that a Spark catalog names, by location."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import CatalogUnreadableError
from deltaresolver.model.schema import quote_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DELTA = "delta"


def tables_in_catalog(spark: SparkSession, catalog: str | None = None) -> Iterator[str]:
    """The location of each table whose provider is Delta, in `catalog` or the session's current one.

    Views, tables of other kinds, and those that cannot be described are passed over. Raises
    `CatalogUnreadableError` for a catalog that cannot be listed.
    """
    from pyspark.errors import PySparkException

    name = spark.catalog.currentCatalog() if catalog is None else catalog
    try:
        namespaces = [row[0] for row in spark.sql(f"SHOW NAMESPACES IN {quote_path((name,))}").collect()]
    except PySparkException as error:
        raise _unreadable(name, error) from error
    for namespace in namespaces:
        # Spark has quoted it where it must be.
        inside = f"{quote_path((name,))}.{namespace}"
        try:
            rows = spark.sql(f"SHOW TABLES IN {inside}").collect()
        except PySparkException as error:
            raise _unreadable(f"{name}.{namespace}", error) from error
        for row in rows:
            if row["isTemporary"]:
                continue
            location = _location(spark, f"{inside}.{quote_path((row['tableName'],))}")
            if location is not None:
                yield location


def _location(spark: SparkSession, table: str) -> str | None:
    from pyspark.errors import PySparkException

    try:
        rows: list[Any] = spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect()
    except PySparkException:
        return None
    # Columns come first and may have any name; what follows the last empty one is about the table.
    told = {row["col_name"]: row["data_type"] for row in rows}
    if str(told.get("Provider", "")).lower() != DELTA:
        return None
    location = told.get("Location")
    return None if not location else str(location)


def _unreadable(name: str, error: Exception) -> CatalogUnreadableError:
    reason = str(error).partition("\n")[0]
    return CatalogUnreadableError(
        f"The catalog {name} cannot be listed: {reason}",
        fix="Check the name and the configuration of the catalog in Spark.",
        details={"catalog": name, "reason": reason},
    )
