"""Catalogs that Spark lists: which roots mean one, what a session is started with, and which tables are taken up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest

from deltaresolver.audit.catalogs.listed import is_catalog
from deltaresolver.audit.catalogs.named_table import ListedTable
from deltaresolver.audit.catalogs.spark_catalogs import find_with_spark, settings_for
from deltaresolver.audit.scan.runners import Batches, CatalogRunner, Task
from deltaresolver.errors import CatalogUnreadableError
from deltaresolver.spark.audit_tasks import ensure_started_with
from deltaresolver.spark.catalog_tables import TableInCatalog, told_of_table
from tests.logs import PROTOCOL, LogBuilder, metadata
from tests.unit.cli.running import run


@attrs.frozen
class KnowingRunner:
    """Knows the tables of catalogs; `asked` is what it was asked for."""

    named: list[TableInCatalog] = attrs.field(factory=list)
    asked: list[tuple[str | None, str | None]] = attrs.field(factory=list)

    def tables_in_catalog(self, catalog: str | None, namespace: str | None = None) -> Iterator[TableInCatalog]:
        self.asked.append((catalog, namespace))
        return iter(self.named)

    def run(self, task: Task, batches: Batches) -> Iterator[tuple[int, bytes]]:
        raise AssertionError((task, batches))


def test_a_table_of_unknown_kind_is_one_if_it_has_a_log(tmp_path: Path) -> None:
    LogBuilder.local(tmp_path / "with log").commit(PROTOCOL, metadata())
    (tmp_path / "other").mkdir()
    lost, unknown, other = (f"{tmp_path}/{name}" for name in ("lost", "with log", "other"))
    uri = (tmp_path / "with log").as_uri()
    runner = KnowingRunner(
        [
            TableInCatalog(lost, is_delta=True, name="a.lost", owner="Ada"),
            *(TableInCatalog(one, is_delta=False) for one in (unknown, uri, other, "odd://x/y")),
        ]
    )
    assert isinstance(runner, CatalogRunner)
    # One that the catalog calls a Delta table is audited also without a log: that is what is wrong with it.
    expected = [ListedTable(lost, "a.lost", "Ada"), ListedTable(unknown), ListedTable(uri)]
    assert list(find_with_spark("catalog:unity", None, runner)) == expected
    assert runner.asked == [("unity", None)]


@pytest.mark.parametrize(
    ("root", "asked", "settings"),
    [
        ("spark.catalog", (None, None), {}),
        ("catalog:lake", ("lake", None), {}),
        (
            "hive:thrift://m:9083/sales",
            ("spark_catalog", "sales"),
            {"spark.sql.catalogImplementation": "hive", "spark.hadoop.hive.metastore.uris": "thrift://m:9083"},
        ),
    ],
)
def test_a_root_means_a_catalog_and_what_its_session_needs(
    root: str, asked: tuple[str | None, str | None], settings: dict[str, str]
) -> None:
    runner = KnowingRunner()
    assert is_catalog(root)
    assert list(find_with_spark(root, None, runner)) == []
    assert runner.asked == [asked]
    assert settings_for([root, "/lake"]) == settings


def test_two_metastores_need_two_sessions() -> None:
    with pytest.raises(CatalogUnreadableError, match="one metastore"):
        settings_for(["hive:thrift://a:1", "hive:thrift://b:1/sales"])
    assert settings_for(["hive:thrift://a:1/x", "hive:thrift://a:1/y"])


def test_a_session_of_another_metastore_is_not_used() -> None:
    session: Any = SimpleNamespace(
        _sc=SimpleNamespace(getConf=lambda: {"spark.sql.catalogImplementation": "in-memory"})
    )
    with pytest.raises(CatalogUnreadableError, match=re.escape("'in-memory' for spark.sql.catalogImplementation")):
        ensure_started_with(session, "spark.sql.catalogImplementation", "hive")
    ensure_started_with(session, "spark.sql.catalogImplementation", "in-memory")


@pytest.mark.parametrize("root", ["hive:http://a:1", "hive:a/b", "hive:thrift:///x", "hive:", "hive:sales"])
def test_an_address_that_is_not_a_metastores_is_refused_before_spark_starts(root: str) -> None:
    told = run("audit", root)
    assert told.code == 2
    assert f"error DR805: The catalog {root} cannot be read" in told.err


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("Owner: Ada\nProvider: delta\nLocation: s3://lake/a", TableInCatalog("s3://lake/a", True, None, "Ada")),
        ("Provider: DELTA\nLocation: s3://lake/a\nSchema: root\nLocation: no", TableInCatalog("s3://lake/a", True)),
        ("Type: EXTERNAL\nLocation: s3://lake/a", TableInCatalog("s3://lake/a", False)),
        ("Provider: iceberg\nLocation: s3://lake/a", None),
        ("Type: VIEW\nLocation: s3://lake/a", None),
        ("Provider: delta", None),
    ],
)
def test_a_catalogs_answer_gives_location_owner_and_format(told: str, expected: TableInCatalog | None) -> None:
    assert told_of_table(told) == expected
