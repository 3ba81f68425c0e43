"""Catalogs that Spark lists: those of the session by name, and Hive metastores. Spark is needed for the listing alone.

`catalog:NAME` is a catalog of the session, `spark.catalog` its current one. `hive:thrift://HOST:9083` is the metastore
at an address, `hive:thrift://HOST:9083/sales` one database of it. It needs the address: without one Spark would make an
empty metastore in the working directory.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable, Iterator, Mapping

from deltaresolver.audit.catalogs.named_table import ListedTable
from deltaresolver.audit.scan.runners import CatalogRunner, Runner
from deltaresolver.errors import CatalogUnreadableError, DeltaResolverError
from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.storage.locations import open_store

CURRENT, NAMED, HIVE = "spark.catalog", "catalog:", "hive:"
SESSION_CATALOG = "spark_catalog"
"""The name under which Spark has a Hive metastore."""
_IMPLEMENTATION = "spark.sql.catalogImplementation"
_METASTORE = "spark.hadoop.hive.metastore.uris"


def is_spark_catalog(root: str) -> bool:
    """Whether a root is a catalog that Spark lists."""
    return root == CURRENT or root.startswith((NAMED, HIVE))


def settings_for(roots: Iterable[str]) -> dict[str, str]:
    """The settings that a session must be started with to list these roots.

    Raises `CatalogUnreadableError` for two metastores: a session has one.
    """
    found = sorted({_hive_parts(root)[0] for root in roots if root.startswith(HIVE)})
    if not found:
        return {}
    if len(found) > 1:
        raise CatalogUnreadableError(
            f"The catalogs hive:{found[0]} and hive:{found[1]} cannot be read together: a session has one metastore.",
            fix="Audit them one after the other.",
            details={"metastores": found},
        )
    return {_IMPLEMENTATION: "hive", _METASTORE: found[0]}


def find_with_spark(root: str, storage_options: Mapping[str, str] | None, runner: Runner) -> Iterator[ListedTable]:
    """The Delta tables of a catalog. `runner` lists it if it is on Spark, else a session is started for that alone.

    Locations without a log are skipped: a catalog does not always know the format of a table.
    Raises `CatalogUnreadableError`, `PackageMissingError` without PySpark, `SparkNotStartedError`.
    """
    catalog, namespace = _asked(root)
    for one in _listing_runner(root, runner).tables_in_catalog(catalog, namespace):
        if one.is_delta or _holds_log(one.location, storage_options):
            yield ListedTable(one.location, one.name, one.owner)


def _asked(root: str) -> tuple[str | None, str | None]:
    """The catalog's name in Spark, None for the current one, and the namespace, if the root names one."""
    if root == CURRENT:
        return None, None
    if root.startswith(NAMED):
        return root.removeprefix(NAMED), None
    return SESSION_CATALOG, _hive_parts(root)[1] or None


def _hive_parts(root: str) -> tuple[str, str]:
    """The address of a metastore, and the database, if the root names one."""
    place = root.removeprefix(HIVE)
    address = urllib.parse.urlsplit(place)
    if address.scheme == "thrift" and address.hostname:
        return place.removesuffix(address.path), address.path.strip("/")
    raise CatalogUnreadableError(
        f"The catalog {root} cannot be read: it is not of the form hive:thrift://HOST:9083/DATABASE.",
        fix="Give its address; a metastore that the settings of your Spark name is --catalog spark_catalog.",
        details={"catalog": root},
    )


def _listing_runner(root: str, runner: Runner) -> CatalogRunner:
    if isinstance(runner, CatalogRunner):
        found: CatalogRunner = runner
    else:
        from deltaresolver.spark.audit_tasks import SparkRunner, session

        found = SparkRunner(session(settings_for((root,))))
    return found


def _holds_log(location: str, storage_options: Mapping[str, str] | None) -> bool:
    """Whether there is a log; a location that cannot be listed with these options counts as no Delta table."""
    try:
        store = open_store(location, storage_options)
        return next(iter(store.list_from(f"{LOG_FOLDER}/")), None) is not None
    except DeltaResolverError:
        return False
