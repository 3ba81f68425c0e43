"""An audit on Spark is the audit made here; a catalog's Delta tables are found; the documented trend query runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.lake_generator import KINDS, generate_lake
from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.audit.report.delta_table import append
from deltaresolver.audit.scan.runners import InProcess, Runner
from deltaresolver.errors import CatalogUnreadableError
from deltaresolver.spark.audit_tasks import SparkRunner
from deltaresolver.spark.catalog_tables import tables_in_catalog
from deltaresolver.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

CLIENT = "trino@468"
TABLES = len(KINDS) + 10


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of every kind, some broken."""
    folder = tmp_path_factory.mktemp("lake")
    list(generate_lake(folder, TABLES, broken_every=7))
    return str(folder)


def audited(root: str, runner: Runner, folder: Path, name: str) -> StoredAudit:
    request = AuditRequest(roots=(root,), clients=(CLIENT,), batch_size=4)
    return audit_lake(request, runner, folder / f"{name}.work", folder / f"{name}.json").document


def test_an_audit_on_spark_equals_the_audit_made_here(spark: SparkSession, lake: str, tmp_path: Path) -> None:
    here = audited(lake, InProcess(), tmp_path, "here")
    there = audited(lake, SparkRunner(spark, batches_at_once=5), tmp_path, "there")
    assert list(there.tables()) == list(here.tables())
    assert there.head.summary.by_severity == here.head.summary.by_severity
    assert there.head.summary.reach == here.head.summary.reach
    assert there.head.summary.unlocks == here.head.summary.unlocks
    assert there.head.rules == here.head.rules
    assert there.head.profiles == here.head.profiles


def test_a_catalogs_delta_tables_are_found_and_nothing_else(spark: SparkSession, tmp_path: Path) -> None:
    locations = set()
    spark.sql("CREATE DATABASE IF NOT EXISTS other_names")
    spark.sql("CREATE TABLE other (id INT) USING parquet")
    try:
        for database, name in (("default", "first"), ("other_names", "second")):
            location = tmp_path / f"the {name}"
            Table.create(location, {"type": "struct", "fields": [FIELD]})
            locations.add(str(location))
            register_delta(spark, database, name, location)
        found = {one.location.removeprefix("file:") for one in tables_in_catalog(spark)}
        assert {location.replace("%20", " ") for location in found} == locations
        document = audited("spark.catalog", SparkRunner(spark), tmp_path, "catalog")
        assert {table.location for table in document.tables()} == locations
        assert document.head.summary.broken == 0
        assert document.head.roots[0].tables == 2
        document = audited("catalog:spark_catalog", SparkRunner(spark), tmp_path, "named")
        assert {table.location for table in document.tables()} == locations
    finally:
        spark.sql("DROP TABLE other")
        metastore(spark).dropTable("default", "first", True, True)
        metastore(spark).dropDatabase("other_names", True, True)


FIELD = {"name": "id", "type": "integer", "nullable": True, "metadata": {}}


def register_delta(spark: SparkSession, database: str, name: str, location: Path) -> None:
    """As a metastore has it that Delta's own JAR wrote to: Spark alone refuses to create what it cannot open."""
    catalog = metastore(spark)
    spark.sql(f"CREATE TABLE `{database}`.`{name}` (id INT) USING parquet LOCATION '{location}'")
    table = catalog.getTable(database, name)
    session: Any = spark
    catalog.alterTable(with_provider(session._jvm, table))


def metastore(spark: SparkSession) -> Any:
    session: Any = spark
    return session._jsparkSession.sharedState().externalCatalog().unwrapped()


def with_provider(jvm: Any, table: Any) -> Any:
    fields = [getattr(table, f"copy$default${place}")() for place in range(1, table.productArity() + 1)]
    names = [table.productElementName(place) for place in range(table.productArity())]
    fields[names.index("provider")] = jvm.scala.Some("delta")
    return table.copy(*fields)


def test_a_catalog_of_another_kind_is_listed_and_holds_no_delta_table(spark: SparkSession, tmp_path: Path) -> None:
    """A catalog of Spark's second interface over a real database, as Unity, Hive-less and Iceberg catalogs are."""
    session: Any = spark
    session._jvm.java.lang.System.setProperty("derby.stream.error.file", str(tmp_path / "derby.log"))
    derby = "spark.sql.catalog.derby"
    spark.conf.set(derby, "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
    spark.conf.set(f"{derby}.url", "jdbc:derby:memory:audit;create=true")
    spark.conf.set(f"{derby}.driver", "org.apache.derby.iapi.jdbc.AutoloadedDriver")
    spark.sql("CREATE NAMESPACE derby.people")
    spark.sql("CREATE TABLE derby.people.one (id INT)")
    assert list(tables_in_catalog(spark, "derby")) == []
    document = audited("catalog:derby", SparkRunner(spark), tmp_path, "derby")
    assert (document.head.roots[0].tables, document.head.roots[0].error) == (0, None)


def test_an_unknown_catalog_is_reported(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(CatalogUnreadableError, match="nowhere cannot be listed"):
        list(tables_in_catalog(spark, "nowhere"))
    document = audited("catalog:nowhere", SparkRunner(spark), tmp_path, "none")
    assert (document.head.roots[0].error or "").startswith("DR805")


def test_the_trend_query_of_the_documentation_runs(spark: SparkSession, lake: str, tmp_path: Path, root: Path) -> None:
    for name in ("one", "two"):
        append(audited(lake, InProcess(), tmp_path, name), str(tmp_path / "audits"), {})
    found = re.search(r"```sql\n(.*?)```", (root / "docs" / "audit.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    files = [str(tmp_path / "audits" / add.path) for add in Table(tmp_path / "audits").snapshot().add_actions()]
    spark.read.parquet(*files).createOrReplaceTempView("lake_audit")
    rows = spark.sql(found[1]).collect()
    assert [row["tables"] for row in rows] == [TABLES, TABLES]
    assert rows[0]["broken"] == rows[1]["broken"] > 0
    assert rows[0]["closed_to_trino"] > 0
