"""The second half of the demo: a lake written by Spark, each table explained, a plan, and the audit of it all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.html import write_html
from deltaresolver.audit.runners import InProcess
from deltaresolver.defaults import default_catalog
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.planning.plan import plan
from deltaresolver.planning.render_plan import render_plan
from deltaresolver.spark.demo_lake import build_demo_lake, quiet_session
from deltaresolver.spark.reading.read import read
from deltaresolver.table import Table

CLIENT = "trino@413"
TITLES = {
    "plain": "A partitioned table that Spark wrote with nothing special",
    "checked": "A table with a CHECK constraint, which every row was held to while Spark wrote it",
    "changes": "A table with a change data feed, overwritten in part",
    "deleted": "A table with deletion vectors, after a DELETE",
    "renamed": "A table whose columns are mapped by name",
}
AUDIT_TRAIL = TableFeature(
    name="auditTrail",
    kind=FeatureKind.WRITER,
    summary="Writers record who changed what.",
    spec_url="https://example.com/audit-trail",
    requires={"domainMetadata"},
    trigger=PropertyIsTrue("acme.auditTrail"),
    upgrades_existing_table=True,
)
"""A feature as a stranger would declare it."""


def show_lake(folder: Path) -> Iterator[tuple[str, str]]:
    """Titles and texts, while the lake is built anew below `folder`; what an earlier demo left there is replaced."""
    lake = folder / "lake"
    for old in (lake, folder / "audit.work"):
        shutil.rmtree(old, ignore_errors=True)
    spark = quiet_session()
    try:
        tables = build_demo_lake(spark, lake)
        for name, path in tables.items():
            rows = read(spark, path).count()
            yield TITLES[name], f"{rows:,} rows in {path}\n\n{Table(path).resolve().explain(table=name)}"
    finally:
        spark.stop()
    yield "A table that uses a feature of a third party", _third_party(lake / "stranger")
    yield (
        f"The way back: what {CLIENT} needs to append to the table with deletion vectors",
        _way_back(tables["deleted"]),
    )
    yield "The audit of the lake", _audit(lake, folder)


def _third_party(path: Path) -> str:
    catalog = FeatureCatalog((*default_catalog(), AUDIT_TRAIL))
    schema = pa.schema([("order_id", pa.int64()), ("country", pa.string())])
    table = Table.create(path, schema, properties={"acme.auditTrail": "true"}, catalog=catalog)
    return table.resolve().explain(table="stranger")


def _way_back(path: Path) -> str:
    return render_plan(plan(Table(path), f"{CLIENT}:append"))


def _audit(lake: Path, folder: Path) -> str:
    report = folder / "report.html"
    audited = audit_lake(
        AuditRequest(roots=(str(lake),), clients=(CLIENT,)), InProcess(), folder / "audit.work", folder / "audit.json"
    )
    write_html(audited.document, report)
    summary = audited.document.head.summary
    found = ", ".join(f"{count} {severity}" for severity, count in sorted(summary.by_severity.items()))
    return (
        f"{summary.tables} tables, {summary.broken} that cannot be read; findings: {found or 'none'}\n\n"
        f"The report: {report.resolve().as_uri()}\nThe same as data: {folder / 'audit.json'}\n"
    )
