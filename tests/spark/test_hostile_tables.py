"""Tables that somebody else made, written to: nothing of theirs runs, by whichever way rows are written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import DeltaResolverError, OutsideLocationError, TableExpressionRefusedError
from deltaresolver.expressions.allowed_functions import CLOCK, FUNCTIONS, TRUST
from deltaresolver.model.actions import AddFile
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

KEY = "deltaresolver.was.here"
RUNS = f"java_method('java.lang.System', 'setProperty', '{KEY}', 'yes')"
PLACES = ("generated", "default", "check", "invariant")
EXPRESSIONS = {
    "jvm": RUNS,
    "reflect": RUNS.replace("java_method", "reflect"),
    "try_reflect": RUNS.replace("java_method", "try_reflect"),
    "quoted": RUNS.replace("java_method", "`java_method`"),
    "comment": f"/* /*+ */ {RUNS} /* */ */",
    "closing": f"'a') OR ({RUNS} = 'a'",
    "file": "(SELECT first(value) FROM text.`{secret}`)",
    "context": "input_file_name()",
    "reference": "'${{system:user.home}}'",
    "document type": """xpath_string('<!DOCTYPE r SYSTEM "file:{secret}"><r/>', 'r')""",
}


def hostile(folder: Path, place: str, expression: str) -> str:
    """A table of one row whose log keeps the expression."""
    marked: dict[str, Any] = {}
    configuration = {}
    if place == "generated":
        marked["delta.generationExpression"] = expression
    elif place == "default":
        marked["CURRENT_DEFAULT"] = expression
    elif place == "invariant":
        said = json.dumps({"expression": {"expression": f"{expression} IS NOT NULL"}})
        marked["delta.invariants"] = said
    else:
        configuration["delta.constraints.c"] = f"{expression} IS NOT NULL"
    fields = [
        {"name": "id", "type": "long", "nullable": True, "metadata": {}},
        {"name": "g", "type": "string", "nullable": True, "metadata": marked},
    ]
    features = ["generatedColumns", "allowColumnDefaults", "checkConstraints", "invariants", "appendOnly"]
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    actions = (
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": features}},
        {
            "metaData": {
                "id": "t",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps({"type": "struct", "fields": fields}),
                "partitionColumns": [],
                "configuration": configuration,
            }
        },
    )
    (log / f"{0:020d}.json").write_text("".join(json.dumps(action) + "\n" for action in actions))
    return str(folder)


def with_a_row(spark: SparkSession, path: str) -> None:
    """Put a row into the table as its author would: without evaluating anything."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = Path(path, "f.parquet")
    pq.write_table(pa.table({"id": pa.array([1], pa.int64()), "g": pa.array(["x"])}), file)
    add = {"add": {"path": "f.parquet", "partitionValues": {}, "size": file.stat().st_size,
                   "modificationTime": 1, "dataChange": True}}  # fmt: skip
    Path(path, "_delta_log", f"{1:020d}.json").write_text(json.dumps(add) + "\n")


def append(spark: SparkSession, path: str, **more: Any) -> None:
    ds.write(spark.sql("SELECT 2L id"), path, mode="append", **more)


def append_by_source(spark: SparkSession, path: str) -> None:
    ds.register(spark)
    spark.sql("SELECT 2L id").write.format("deltaresolver").mode("append").save(path)


def update(spark: SparkSession, path: str, **more: Any) -> None:
    ds.update(spark, path, {"id": "id + 1"}, **more)


def merge(spark: SparkSession, path: str) -> None:
    source = spark.sql("SELECT 1L id UNION ALL SELECT 5L")
    ds.DeltaTable.forPath(spark, path).alias("t").merge(source.alias("s"), "t.id = s.id").whenMatchedUpdate(
        set={"id": "s.id + 1"}
    ).whenNotMatchedInsert(values={"id": "s.id"}).execute()


WAYS: dict[str, Callable[..., None]] = {"append": append, "source": append_by_source, "update": update, "merge": merge}


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("place", PLACES)
def test_no_expression_of_a_hostile_table_runs(spark: SparkSession, tmp_path: Path, place: str, name: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOPSECRET")
    path = hostile(tmp_path / "t", place, EXPRESSIONS[name].format(secret=secret))
    with_a_row(spark, path)
    before = sorted(each.as_posix() for each in Path(path).rglob("*"))
    jvm: Any = spark._jvm
    jvm.java.lang.System.clearProperty(KEY)
    for way, write in WAYS.items():
        if (way, place) == ("update", "default"):
            # Nothing is filled in by an UPDATE, but the whole table is judged.
            pass
        with pytest.raises(Exception, match=r"DR761|which|Nothing was evaluated") as raised:
            write(spark, path)
        if way != "source":
            assert isinstance(raised.value, TableExpressionRefusedError), way
        assert jvm.java.lang.System.getProperty(KEY) is None, way
    assert sorted(each.as_posix() for each in Path(path).rglob("*")) == before
    assert ds.read(spark, path).collect() == spark.sql("SELECT 1L id, 'x' g").collect()


def test_a_hostile_table_may_be_trusted_by_an_option(spark: SparkSession, tmp_path: Path) -> None:
    jvm: Any = spark._jvm
    jvm.java.lang.System.clearProperty(KEY)
    path = hostile(tmp_path / "t", "generated", RUNS.replace("setProperty", "getProperty").replace(", 'yes'", ""))
    append(spark, path, trust_expressions=True)
    spark.conf.set(TRUST, "true")
    try:
        append(spark, path)
    finally:
        spark.conf.unset(TRUST)
    with pytest.raises(TableExpressionRefusedError):
        append(spark, path)
    assert ds.read(spark, path).count() == 2


def test_a_constraint_of_ones_own_is_not_evaluated_either(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    ds.write(spark.sql("SELECT 1L id"), path)
    jvm: Any = spark._jvm
    jvm.java.lang.System.clearProperty(KEY)
    with pytest.raises(TableExpressionRefusedError):
        Table(path).add_constraint("c", f"{RUNS} IS NULL", row_check=ds.row_check(spark, path))
    assert jvm.java.lang.System.getProperty(KEY) is None
    assert "delta.constraints.c" not in Table(path).metadata.configuration


def test_every_function_on_the_list_is_one_of_spark_and_has_no_power(spark: SparkSession) -> None:
    known = {row.function for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
    unknown = FUNCTIONS - CLOCK - known
    # Some are newer than this Spark, and some are words of the grammar.
    assert len(unknown) < 30, sorted(unknown)
    powers = {"java_method", "reflect", "try_reflect", "input_file_name", "current_user", "user", "rand", "uuid",
              "version", "from_protobuf", "to_protobuf", "from_avro", "monotonically_increasing_id"}  # fmt: skip
    assert powers.isdisjoint(FUNCTIONS)


@pytest.mark.parametrize("written", ["../outside.parquet", "%2e%2e/outside.parquet", "x/../../outside.parquet"])
def test_rows_of_files_outside_are_deleted_and_the_files_are_not(
    spark: SparkSession, tmp_path: Path, written: str
) -> None:
    path = hostile(tmp_path / "t", "check", "id")
    shutil.rmtree(Path(path, "_delta_log", "x"), ignore_errors=True)
    with_a_row(spark, path)
    Path(path, "f.parquet").rename(tmp_path / "outside.parquet")
    log = Path(path, "_delta_log", f"{1:020d}.json")
    log.write_text(log.read_text().replace("f.parquet", written))
    try:
        ds.update(spark, path, {"g": "'y'"}, "id = 1")
        ds.delete(spark, path, "id = 1")
    except DeltaResolverError:
        pass
    else:
        assert ds.read(spark, path).count() == 0
    assert (tmp_path / "outside.parquet").exists()


def test_a_hostile_table_may_be_trusted_when_it_is_opened_as_a_table(spark: SparkSession, tmp_path: Path) -> None:
    path = hostile(tmp_path / "t", "generated", RUNS.replace("setProperty", "getProperty").replace(", 'yes'", ""))
    source = spark.sql("SELECT 5L id").alias("s")
    with pytest.raises(TableExpressionRefusedError):
        ds.DeltaTable.forPath(spark, path).merge(source, "false").whenNotMatchedInsert(values={"id": "s.id"}).execute()
    trusting = ds.DeltaTable.forPath(spark, path, trust_expressions=True).alias("t")
    trusting.merge(source, "t.id = s.id").whenNotMatchedInsert(values={"id": "s.id"}).execute()
    trusting.update(set={"id": "id + 1"})
    assert [row.id for row in ds.read(spark, path).collect()] == [6]


def with_a_file_at(spark: SparkSession, path: str, where: str) -> None:
    """One more file in the log, which need not be there."""
    table = Table(path)
    transaction = table.start_transaction()
    transaction.commit([AddFile(where, {}, 1, 1, data_change=True)], operations.write("Append"))


@pytest.mark.parametrize("where", ["s3a://evil-bucket/x.parquet", "s3%3A//evil-bucket/x.parquet"])
def test_spark_is_not_sent_to_other_buckets(spark: SparkSession, tmp_path: Path, where: str) -> None:
    path = str(tmp_path / "t")
    ds.write(spark.range(1).toDF("id"), path)
    with_a_file_at(spark, path, where)
    ds.register(spark)
    ways: list[Callable[[], object]] = [
        lambda: ds.read(spark, path).collect(),
        lambda: ds.delete(spark, path, "id = 7"),
        lambda: ds.DeltaTable.forPath(spark, path).update(set={"id": "id + 1"}),
        lambda: spark.read.format("deltaresolver").load(path).collect(),
    ]
    for way in ways:
        with pytest.raises(Exception, match="another bucket or account"):
            way()


def test_files_outside_are_refused_where_nothing_may_be(spark: SparkSession, tmp_path: Path) -> None:
    ds.write(spark.range(1).toDF("id"), tmp_path / "victim")
    (file,) = (tmp_path / "victim").rglob("*.parquet")
    path = str(tmp_path / "t")
    ds.write(spark.range(1).toDF("id"), path)
    with_a_file_at(spark, path, f"file:{file}")
    assert ds.read(spark, path).count() == 2
    with pytest.raises(OutsideLocationError, match="outside the table's folder"):
        ds.read(spark, path, storage_options={"allow_outside": "refuse"}).collect()


REFERENCE = "${system:user.home}"
"""What Spark puts another text for wherever it reads SQL."""


def test_a_value_that_looks_like_a_reference_stays_a_value(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    ds.write(spark.createDataFrame([(1, REFERENCE), (2, "x")], "id INT, g STRING"), path, partition_by=["g"])
    assert set(ds.read(spark, path).collect()) == {(1, REFERENCE), (2, "x")}
    ds.sql(spark, f"UPDATE delta.`{path}` SET g = :v WHERE id = 2", {"v": REFERENCE})
    assert set(ds.read(spark, path).collect()) == {(1, REFERENCE), (2, REFERENCE)}
    source = spark.createDataFrame([(3, REFERENCE), (4, "y")], "id INT, g STRING")
    ds.DeltaTable.forPath(spark, path).alias("t").merge(
        source.alias("s"), "t.g = s.g AND t.id = s.id"
    ).whenNotMatchedInsertAll().execute()
    assert ds.read(spark, path).where("id = 3").collect() == [(3, REFERENCE)]
    ds.sql(spark, f"DELETE FROM delta.`{path}` WHERE g = :v", {"v": REFERENCE})
    assert ds.read(spark, path).collect() == [(4, "y")]


def test_a_reference_in_a_condition_is_what_spark_makes_of_it(spark: SparkSession, tmp_path: Path) -> None:
    home = spark.sql(f"SELECT '{REFERENCE}'").collect()[0][0]
    assert home != REFERENCE
    path = str(tmp_path / "t")
    for number, text in enumerate((home, "x")):
        ds.write(spark.createDataFrame([(number, text)], "id INT, g STRING"), path, mode="append", partition_by=["g"])
    ds.DeltaTable.forPath(spark, path).delete(f"g = '{REFERENCE}'")
    assert ds.read(spark, path).collect() == [(1, "x")]


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize(
    ("step", "mark"),
    [(1, 2**63 - 1), (1, 2**63 - 3), (2**62, 5), (-(2**62), -5), (-1, 3 - 2**63), (0, 5), ("1", 5), (1, [5])],
)
def test_an_identity_column_that_cannot_count_on_takes_no_rows(
    spark: SparkSession, tmp_path: Path, step: Any, mark: Any, ansi: str
) -> None:
    notes = {"start": 1, "step": step, "highWaterMark": mark, "allowExplicitInsert": False}
    counted = {f"delta.identity.{key}": value for key, value in notes.items()}
    path = hostile(tmp_path / "t", "default", "1")
    log = Path(path, "_delta_log", f"{0:020d}.json")
    protocol, metadata = (json.loads(line) for line in log.read_text().splitlines())
    schema = json.loads(metadata["metaData"]["schemaString"])
    schema["fields"][1] = {"name": "n", "type": "long", "nullable": True, "metadata": counted}
    metadata["metaData"]["schemaString"] = json.dumps(schema)
    protocol["protocol"]["writerFeatures"].append("identityColumns")
    log.write_text("".join(json.dumps(action) + "\n" for action in (protocol, metadata)))
    rows = spark.range(0, 20, 1, 2).toDF("id")
    ds.register(spark)
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        with pytest.raises(Exception, match=r"fit in 64 bits|cannot be numbered"):
            ds.write(rows, path, mode="append")
        with pytest.raises(Exception, match=r"fit in 64 bits|cannot be numbered"):
            rows.write.format("deltaresolver").mode("append").save(path)
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")
    assert len(list(Path(path, "_delta_log").glob("*.json"))) == 1
