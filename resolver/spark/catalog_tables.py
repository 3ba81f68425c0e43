"""The Delta tables that a Spark catalog names, by location."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import CatalogUnreadableError
from deltaresolver.model.schema import quote_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DELTA = "delta"


def tables_in_catalog(spark: SparkSession, catalog: str | None = None) -> Iterator[tuple[str, bool]]:
    """The location of each table that is Delta's or may be, in `catalog` or the session's; whether it is told to be.

    A catalog need not tell the provider: such a table is among them if it has a location, which the caller looks at.
    Views and tables of other kinds are passed over; so are namespaces inside namespaces. No table is opened: the
    session need not know Delta. Raises `CatalogUnreadableError` for a catalog that cannot be listed.
    """
    name = spark.catalog.currentCatalog() if catalog is None else catalog
    quoted = quote_path((name,))
    for (namespace,) in _listed(spark, f"SHOW NAMESPACES IN {quoted}", name):
        # Spark has quoted it where it must be. DESCRIBE would look for the provider's classes.
        for row in _listed(spark, f"SHOW TABLE EXTENDED IN {quoted}.{namespace} LIKE '*'", f"{name}.{namespace}"):
            told = None if row["isTemporary"] else location_told(row["information"])
            if told is not None:
                yield told


def _listed(spark: SparkSession, statement: str, name: str) -> list[Any]:
    from pyspark.errors import PySparkException

    try:
        return spark.sql(statement).collect()
    except PySparkException as error:
        raise _unreadable(name, error) from error


def location_told(information: str) -> tuple[str, bool] | None:
    """The location in what Spark tells about a table, a line a fact and the columns last; and whether it is Delta's.

    None where the provider is told and is not Delta, for views, and where no location is told.
    """
    facts: dict[str, str] = {}
    for line in information.partition("\nSchema: ")[0].splitlines():
        name, _, value = line.partition(": ")
        facts.setdefault(name, value)
    is_view = facts.get("Type", "").upper().endswith("VIEW")
    location, provider = facts.get("Location"), facts.get("Provider")
    if location is None or is_view or (provider or DELTA).lower() != DELTA:
        return None
    return location, provider is not None


def _unreadable(name: str, error: Exception) -> CatalogUnreadableError:
    reason = str(error).partition("\n")[0]
    return CatalogUnreadableError(
        f"The catalog {name} cannot be listed: {reason}",
        fix="Check the name and the configuration of the catalog in Spark.",
        details={"catalog": name, "reason": reason},
    )
