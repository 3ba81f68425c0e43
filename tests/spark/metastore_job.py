"""Audit the tables of a Hive metastore, in a process of its own, whose session has Hive support.

python -m tests.spark.metastore_job URI FOLDER FILE writes two audits to FILE, one a line: by address, and by name.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from deltaresolver.audit.catalogs.spark_catalogs import settings_for
from deltaresolver.cli.main import run
from deltaresolver.spark.audit_tasks import session
from deltaresolver.table import Table
from tests.peers.hive_metastore import wait_for

SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "integer", "nullable": True, "metadata": {}}]}
TABLES = ("orders", "lines_1")


def register(spark: Any, name: str, location: Path) -> None:
    """As delta-spark notes a table of Ada's: Spark alone refuses to note what it cannot open."""
    catalog = spark._jsparkSession.sharedState().externalCatalog().unwrapped()
    spark.sql(f"CREATE TABLE sales.t (id INT) USING parquet LOCATION '{location}'")
    noted = catalog.getTable("sales", "t")
    fields = [getattr(noted, f"copy$default${place}")() for place in range(1, noted.productArity() + 1)]
    names = [noted.productElementName(place) for place in range(noted.productArity())]
    fields[names.index("identifier")] = spark._jvm.org.apache.spark.sql.catalyst.TableIdentifier(
        name, spark._jvm.scala.Some("sales"), spark._jvm.scala.Option.empty()
    )
    fields[names.index("provider")] = spark._jvm.scala.Some("delta")
    fields[names.index("owner")] = "Ada"
    catalog.dropTable("sales", "t", False, False)
    catalog.createTable(noted.copy(*fields), False)


def audited(*arguments: str) -> Any:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run(["audit", *arguments, "--json", "-", "--workers", "1"]) == 0
    return json.loads(out.getvalue())


def main(uri: str, folder: Path, target: Path) -> None:
    spark: Any = session({**settings_for([f"hive:{uri}"]), "spark.sql.warehouse.dir": str(folder / "warehouse")})
    wait_for(uri)
    spark.sql("CREATE DATABASE sales")
    spark.sql("CREATE TABLE sales.other (id INT) USING parquet")
    for number, name in enumerate(TABLES):
        Table.create(folder / f"t{number}", SCHEMA)
        register(spark, name, folder / f"t{number}")
    told = [audited(f"hive:{uri}/sales"), audited("--catalog", "spark_catalog")]
    target.write_text("\n".join(map(json.dumps, told)))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
