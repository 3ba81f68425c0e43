"""Steps of plans that write data files again: the rows stay, ids and all, and the files are as the step promises."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow.parquet as pq
import pytest

import deltaresolver as dr
import deltaresolver.spark as ds
from deltaresolver.cli import main
from deltaresolver.errors import RewriteMismatchError
from deltaresolver.planning.steps import StepKind
from deltaresolver.spark.tables import DeltaTable
from deltaresolver.table import Table
from tests.unit.cli.running import run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

EVERYTHING = {
    "delta.columnMapping.mode": "name",
    "delta.enableTypeWidening": "true",
    "delta.enableDeletionVectors": "true",
    "delta.enableRowTracking": "true",
    "delta.enableChangeDataFeed": "true",
}


def make(spark: SparkSession, path: Path, properties: dict[str, str]) -> None:
    """Ten rows in two partitions and two commits, the second of a wider type where that is allowed; one is marked."""
    rows = "id", "CAST(id AS SMALLINT) AS n", "CAST(id % 2 AS STRING) AS `Größe`"
    ds.write(spark.range(0, 5).selectExpr(*rows), path, partition_by="Größe", properties=properties)
    wide = "INT" if "delta.enableTypeWidening" in properties else "SMALLINT"
    wider = "id", f"CAST(id AS {wide}) AS n", "CAST(id % 2 AS STRING) AS `Größe`"
    ds.write(spark.range(5, 11).selectExpr(*wider), path, mode="append", options={"mergeSchema": "true"})
    ds.delete(spark, path, "id = 8")


def rows_of(spark: SparkSession, path: Path, *, ids: bool = False) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in ds.read(spark, path, row_tracking=ids).collect())


def files_of(path: Path) -> dict[str, bool]:
    """Each live file, and whether it has a deletion vector."""
    return {file.path: file.deletion_vector is not None for file in Table(path).snapshot().add_actions()}


@pytest.fixture(scope="module")
def everything(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("everything") / "t"
    make(spark, path, EVERYTHING)
    return path


def test_only_files_with_vectors_are_purged(spark: SparkSession, everything: Path) -> None:
    before, rows = files_of(everything), rows_of(spark, everything, ids=True)
    (step,) = dr.plan(Table(everything), "purged").steps
    marked = [file for file in Table(everything).snapshot().add_actions() if file.deletion_vector is not None]
    assert (step.cost.files, step.cost.bytes) == (1, marked[0].size)
    (done,) = dr.apply_plan(Table(everything), "purged", rewriter=ds.SparkRewriter(spark))
    after = files_of(everything)
    assert done.table_version == Table(everything).snapshot().table_version
    assert before.keys() - after.keys() == {marked[0].path}
    assert not any(after.values())
    assert rows_of(spark, everything, ids=True) == rows
    (entry,) = Table(everything).history(1)
    assert (entry.operation, entry.parameters["applyPurge"]) == ("REORG", True)
    assert dr.plan(Table(everything), "purged").steps == ()


def test_mapping_and_widening_go_with_the_names_and_types_of_old_files(spark: SparkSession, everything: Path) -> None:
    target = ["-columnMapping", "-typeWidening"]
    rows = rows_of(spark, everything, ids=True)
    first = dr.plan(Table(everything), target)
    assert [step.kind for step in first.steps].count(StepKind.DROP_REWRITING) == 2
    sizes = [file.size for file in Table(everything).snapshot().add_actions()]
    assert (first.steps[0].cost.files, first.steps[0].cost.bytes) == (len(sizes), sum(sizes))
    done = list(dr.apply_plan(Table(everything), target, rewriter=ds.SparkRewriter(spark)))
    assert [one.step.names for one in done] == [step.names for step in first.steps]
    table = Table(everything)
    assert rows_of(spark, everything, ids=True) == rows
    assert dr.plan(table, target).steps == ()
    assert table.snapshot().protocol == first.end.protocol
    for path in files_of(everything):
        stored = pq.read_schema(everything / unquote(path))
        assert {"id": "int64", "n": "int32"}.items() <= {field.name: str(field.type) for field in stored}.items()
    assert "columnMapping" not in (table.snapshot().metadata.schema_string or "")


def test_lost_rows_are_noticed_and_without_spark_the_command_line_rewrites(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    make(spark, path, {"delta.enableDeletionVectors": "true"})
    rows = rows_of(spark, path)
    commit = path / "_delta_log" / f"{Table(path).snapshot().table_version:020}.json"
    text = commit.read_text()
    (marked,) = [file for file in Table(path).snapshot().add_actions() if file.deletion_vector is not None]
    assert marked.stats is not None
    records = json.loads(marked.stats)["numRecords"]
    more = marked.stats.replace(f'"numRecords":{records}', f'"numRecords":{records + 1}')
    commit.write_text(text.replace(marked.stats.replace('"', '\\"'), more.replace('"', '\\"')))
    before = set(path.iterdir())
    with pytest.raises(RewriteMismatchError, match=f"{records} rows by their statistics, and {records - 1} were read"):
        list(dr.apply_plan(Table(path), "purged", rewriter=ds.SparkRewriter(spark)))
    assert set(path.iterdir()) == before
    commit.write_text(text)
    data = run("plan", str(path), "--drop-feature", "deletionVectors", "--apply", "--yes", "--json").data
    assert data["reached"]
    assert "purge deletion vectors" in [step["step"] for step in data["applied"]]
    assert rows_of(spark, path) == rows


def here(*arguments: str) -> str:
    """What a command prints that must succeed; in this process, which has a session."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main.run(list(arguments)) == 0
    return out.getvalue()


@pytest.mark.parametrize("way", ["drop-feature", "DeltaTable", "sql"])
def test_one_call_drops_what_files_hold(spark: SparkSession, tmp_path: Path, way: str) -> None:
    path = tmp_path / "t"
    make(spark, path, {"delta.enableDeletionVectors": "true", "delta.columnMapping.mode": "name"})
    rows, last = rows_of(spark, path), Table(path).snapshot().table_version
    if way == "drop-feature":
        dry = json.loads(here("drop-feature", str(path), "deletionVectors", "--dry-run", "--json"))
        told = json.loads(here("drop-feature", str(path), "deletionVectors", "--json"))
        assert told["rewritten"] == dry["rewritten"]
        assert told["rewritten"]["files"] == 1
        assert told["protocol"] == dry["protocol"]
        assert told["commits"][0] == {"version": last + 1, "operation": "REORG"}
        assert "10 files" not in here("drop-feature", str(path), "columnMapping")
    elif way == "DeltaTable":
        DeltaTable.forPath(spark, str(path)).dropFeatureSupport("deletionVectors")
        DeltaTable.forPath(spark, str(path)).dropFeatureSupport("columnMapping")
    else:
        ds.sql(spark, f"ALTER TABLE delta.`{path}` DROP FEATURE deletionVectors")
        ds.sql(spark, f"ALTER TABLE delta.`{path}` DROP FEATURE columnMapping")
    table = Table(path)
    assert table.update().protocol.writer_feature_names.isdisjoint({"deletionVectors", "columnMapping"})
    assert rows_of(spark, path) == rows
    assert not any(files_of(path).values())


def test_a_card_whose_plans_write_files_again_is_carried_out(spark: SparkSession, tmp_path: Path) -> None:
    lake, document = tmp_path / "lake", tmp_path / "audit.json"
    make(spark, lake / "a", {"delta.enableDeletionVectors": "true", "delta.checkpointPolicy": "classic"})
    shutil.copytree(lake / "a", lake / "b")
    rows = rows_of(spark, lake / "a")
    here("audit", str(lake), "--client", "delta-rs-python@1.6.6", "--json", str(document), "--workers", "1")
    cards = json.loads(document.read_text())["head"]["cards"]
    (card,) = [one for one in cards if one["title"].startswith("Purge deletion vectors") and one["command"]]
    assert card["tables"] == 2
    assert "rewrites 2 files" in card["price"]
    asked = ("plan", "--from", str(document), "--card", str(card["number"]))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main.run([*asked, "--apply", "--yes"])
    assert code in (0, 1), out.getvalue()
    # Versions that need the vectors are kept for a day; what Spark does is done, and the rows are all there.
    for name in ("a", "b"):
        assert not any(files_of(lake / name).values()), out.getvalue()
        assert rows_of(spark, lake / name) == rows
    assert out.getvalue().count("waits: ") == 2 if code else "done" in out.getvalue()
