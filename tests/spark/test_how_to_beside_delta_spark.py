"""The patterns of docs/how-to and three tutorials, run as printed and by delta-spark: the same rows and history."""
# ruff: noqa: A002, N802 - methods have the names of delta-spark's

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deltaresolver.spark.tables import DeltaTable
from tests.peers.delta_spark import DeltaSpark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

TUTORIALS = ("change-feed", "quick-start", "upsert")
PAGES = ("apply-changes", "backfill", "deduplicate", "late-data", "scd-type-2")
NONE: Mapping[str, str] = {}


class TheirCalls:
    """`ds.read` and `ds.write` by delta-spark."""

    @staticmethod
    def read(spark: SparkSession, path: str, where: str = "true") -> DataFrame:
        return spark.read.format("delta").load(path).where(where)

    @staticmethod
    def write(
        rows: DataFrame,
        path: str,
        mode: str,
        partition_by: str = "",
        options: Mapping[str, str] = NONE,
        properties: Mapping[str, str] = NONE,
    ) -> None:
        writer = rows.write.format("delta").mode(mode).options(**options, **properties)
        (writer.partitionBy(partition_by) if partition_by else writer).save(path)


class TheirTable:
    """`DeltaTable` of delta-spark's JVM, as far as the pages use it."""

    def __init__(self, spark: Any, table: Any) -> None:
        self.spark, self.table = spark, table

    @classmethod
    def forPath(cls, spark: Any, path: str) -> TheirTable:
        return cls(spark, spark._jvm.io.delta.tables.DeltaTable.forPath(spark._jsparkSession, path))

    def alias(self, name: str) -> TheirTable:
        return TheirTable(self.spark, self.table.alias(name))

    def update(self, condition: Any, set: Mapping[str, Any]) -> None:
        values = self.spark._jvm.java.util.HashMap({name: value._jc for name, value in set.items()})
        self.table.update(condition._jc, values)

    def delete(self, condition: Any) -> None:
        self.table.delete(condition._jc)

    def toDF(self) -> DataFrame:
        from pyspark.sql import DataFrame

        return DataFrame(self.table.toDF(), self.spark)

    def merge(self, source: Any, condition: str) -> TheirMerge:
        return TheirMerge(self.table.merge(source._jdf, condition))


class TheirMerge:
    """`DeltaMergeBuilder` of delta-spark's JVM."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def whenMatchedUpdate(self, condition: str = "true", set: Mapping[str, str] = NONE) -> TheirMerge:
        return TheirMerge(self.builder.whenMatched(condition).updateExpr(_texts(set)))

    def whenMatchedDelete(self, condition: str) -> TheirMerge:
        return TheirMerge(self.builder.whenMatched(condition).delete())

    def whenNotMatchedInsert(self, condition: str = "true", values: Mapping[str, str] = NONE) -> TheirMerge:
        return TheirMerge(self.builder.whenNotMatched(condition).insertExpr(_texts(values)))

    def whenNotMatchedInsertAll(self) -> TheirMerge:
        return TheirMerge(self.builder.whenNotMatched().insertAll())

    def execute(self) -> None:
        self.builder.execute()


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Columns of the pages are names."""
    return {name: value if isinstance(value, str) else value._jc.toString() for name, value in values.items()}


def run(page: str, spark: SparkSession, folder: Path, *, by_peer: bool) -> list[tuple[str, ...]]:
    """What the page's code leaves in `result`."""
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {"spark": spark}
    if by_peer:
        names |= {"ds": TheirCalls, "DeltaTable": TheirTable}
        code = re.sub(r"^(?:import|from) deltaresolver.*\n", "", code, flags=re.MULTILINE)
    exec(code.replace("/lake/", f"{folder}/"), names)
    return sorted(tuple(map(str, row)) for row in names["result"].collect())


def history(spark: SparkSession, table: Path) -> list[tuple[Any, ...]]:
    entries = DeltaTable.forPath(spark, str(table)).history().collect()
    # The overwrite that makes a table counts as a blind append here, and not in delta-spark.
    blind = [row.isBlindAppend if row.version else None for row in entries]
    shown = [(row.version, row.operation, row.operationParameters.get("mode")) for row in entries]
    return list(zip(shown, blind, strict=True))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_does_the_same_by_both(small_delta_spark: DeltaSpark, root: Path, tmp_path: Path, name: str) -> None:
    spark = small_delta_spark.spark
    page = (root / "docs" / "how-to" / f"{name}.md").read_text()
    shown = [
        tuple(cell.strip() for cell in line.strip("|").split("|")) for line in page.splitlines() if line[:1] == "|"
    ]
    here, there = tmp_path / "here", tmp_path / "there"
    assert run(page, spark, here, by_peer=False) == shown[2:]
    assert run(page, spark, there, by_peer=True) == shown[2:]
    tables = sorted(path.name for path in here.iterdir())
    assert tables == sorted(path.name for path in there.iterdir())
    for table in tables:
        assert history(spark, here / table) == history(spark, there / table)


@pytest.mark.parametrize("name", TUTORIALS)
def test_what_a_tutorial_asserts_holds_for_delta_spark(
    small_delta_spark: DeltaSpark, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    page = (root / "docs" / "tutorial" / f"{name}.md").read_text()
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    code = re.sub(r"^(?:(?:import|from) deltaresolver|ds\.|spark = ).*\n", "", code, flags=re.MULTILINE)
    assert code.count("assert ") >= 3
    monkeypatch.chdir(tmp_path)
    exec(code, {"spark": small_delta_spark.spark, "DeltaTable": TheirTable})
