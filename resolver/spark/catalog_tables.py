"""The Delta tables that a Spark catalog names: where they lie, what they are called and whose they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from deltaresolver.errors import CatalogUnreadableError
from deltaresolver.model.schema import quote_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DELTA = "delta"
SESSION_CATALOG = "spark_catalog"


class TableInCatalog(NamedTuple):
    """What a catalog tells of a table; `is_delta` where it tells that it is Delta's, and not only does not deny it."""

    location: str
    is_delta: bool
    name: str | None = None
    owner: str | None = None


def tables_in_catalog(
    spark: SparkSession, catalog: str | None = None, namespace: str | None = None
) -> Iterator[TableInCatalog]:
    """Each table that is Delta's or may be, in `catalog` or the session's, in all of it or one namespace.

    A catalog need not tell the provider: such a table is among them if it has a location, which the caller looks at.
    Views and tables of other kinds are passed over; so are namespaces inside namespaces. No table is opened: the
    session need not know Delta. Raises `CatalogUnreadableError` for a catalog that cannot be listed.
    """
    name = spark.catalog.currentCatalog() if catalog is None else catalog
    quoted = quote_path((name,))
    # Spark quotes what it lists where it must be.
    namespaces = (
        [row[0] for row in _listed(spark, f"SHOW NAMESPACES IN {quoted}", name)]
        if namespace is None
        else [quote_path((namespace,))]
    )
    # Tables of the session's own catalog are called by two names, as people do.
    above = "" if name == SESSION_CATALOG else f"{name}."
    for each in namespaces:
        # DESCRIBE would look for the provider's classes.
        for row in _listed(spark, f"SHOW TABLE EXTENDED IN {quoted}.{each} LIKE '*'", f"{name}.{each}"):
            told = None if row["isTemporary"] else told_of_table(row["information"])
            if told is not None:
                yield told._replace(name=f"{above}{row['namespace']}.{row['tableName']}")


def _listed(spark: SparkSession, statement: str, name: str) -> list[Any]:
    from pyspark.errors import PySparkException

    try:
        return spark.sql(statement).collect()
    except PySparkException as error:
        raise _unreadable(name, error) from error


def told_of_table(information: str) -> TableInCatalog | None:
    """What DESCRIBE shows of a table, one fact a line and the columns last, without its name.

    None where the provider is known and is not Delta, for views, and where no location is known.
    """
    facts: dict[str, str] = {}
    for line in information.partition("\nSchema: ")[0].splitlines():
        name, _, value = line.partition(": ")
        facts.setdefault(name, value)
    is_view = facts.get("Type", "").upper().endswith("VIEW")
    location, provider = facts.get("Location"), facts.get("Provider")
    if location is None or is_view or (provider or DELTA).lower() != DELTA:
        return None
    return TableInCatalog(location, provider is not None, owner=facts.get("Owner") or None)


def _unreadable(name: str, error: Exception) -> CatalogUnreadableError:
    reason = str(error).partition("\n")[0]
    return CatalogUnreadableError(
        f"The catalog {name} cannot be listed: {reason}",
        fix="Check the name and the configuration of the catalog in Spark.",
        details={"catalog": name, "reason": reason},
    )
