"""deltaresolver.spark.tables has the names, parameters, defaults and results of delta.tables."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from deltaresolver.errors import (
    ArgumentInvalidError,
    ArgumentTypeError,
    OptimizePredicateError,
    TableDeclarationError,
    TableExistsError,
    TableNotFoundError,
)
from deltaresolver.spark import read, write
from deltaresolver.spark.tables import (
    DeltaMergeBuilder,
    DeltaOptimizeBuilder,
    DeltaTable,
    DeltaTableBuilder,
    IdentityGenerator,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

# The positional parameters of delta-spark's python/delta/tables.py, with defaults.
PARAMETERS: dict[type, dict[str, list[str]]] = {
    DeltaTable: {
        "toDF": [],
        "alias": ["aliasName"],
        "generate": ["mode"],
        "delete": ["condition=None"],
        "update": ["condition=None", "set=None"],
        "merge": ["source", "condition"],
        "vacuum": ["retentionHours=None"],
        "history": ["limit=None"],
        "detail": [],
        "convertToDelta": ["sparkSession", "identifier", "partitionSchema=None"],
        "forPath": ["sparkSession", "path", "hadoopConf"],
        "forName": ["sparkSession", "tableOrViewName"],
        "create": ["sparkSession=None"],
        "createIfNotExists": ["sparkSession=None"],
        "replace": ["sparkSession=None"],
        "createOrReplace": ["sparkSession=None"],
        "isDeltaTable": ["sparkSession", "identifier"],
        "upgradeTableProtocol": ["readerVersion", "writerVersion"],
        "addFeatureSupport": ["featureName"],
        "dropFeatureSupport": ["featureName", "truncateHistory=None"],
        "restoreToVersion": ["version"],
        "restoreToTimestamp": ["timestamp"],
        "optimize": [],
        "clone": ["target", "isShallow=False", "replace=False", "properties=None"],
        "cloneAtVersion": ["version", "target", "isShallow=False", "replace=False", "properties=None"],
        "cloneAtTimestamp": ["timestamp", "target", "isShallow=False", "replace=False", "properties=None"],
    },
    DeltaMergeBuilder: {
        "whenMatchedUpdate": ["condition=None", "set=None"],
        "whenMatchedUpdateAll": ["condition=None"],
        "whenMatchedDelete": ["condition=None"],
        "whenNotMatchedInsert": ["condition=None", "values=None"],
        "whenNotMatchedInsertAll": ["condition=None"],
        "whenNotMatchedBySourceUpdate": ["condition=None", "set=None"],
        "whenNotMatchedBySourceDelete": ["condition=None"],
        "withSchemaEvolution": [],
        "execute": [],
    },
    DeltaTableBuilder: {
        "tableName": ["identifier"],
        "location": ["location"],
        "comment": ["comment"],
        "addColumn": [
            "colName",
            "dataType",
            "nullable=True",
            "generatedAlwaysAs=None",
            "generatedByDefaultAs=None",
            "comment=None",
        ],
        "addColumns": ["cols"],
        "partitionedBy": ["*cols"],
        "clusterBy": ["*cols"],
        "property": ["key", "value"],
        "execute": [],
    },
    DeltaOptimizeBuilder: {"where": ["partitionFilter"], "executeCompaction": [], "executeZOrderBy": ["*cols"]},
    IdentityGenerator: {"__init__": ["start=1", "step=1"]},
}


@pytest.mark.parametrize(("kind", "method"), [(kind, method) for kind, found in PARAMETERS.items() for method in found])
def test_a_method_takes_the_parameters_of_delta_tables(kind: type, method: str) -> None:
    signature = inspect.signature(getattr(kind, method))
    given = [
        f"*{name}" if each.kind is each.VAR_POSITIONAL else name
        for name, each in signature.parameters.items()
        if name not in ("self", "cls") and each.kind is not each.KEYWORD_ONLY
    ]
    wanted = PARAMETERS[kind][method]
    assert given[: len(wanted)] == [each.partition("=")[0] for each in wanted]
    for each in wanted:
        name, is_optional, default = each.partition("=")
        if is_optional:
            assert str(signature.parameters[name].default) == default


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> DeltaTable:
    for start in (0, 4, 8):
        rows = spark.range(start, start + 4).selectExpr("id", "id % 2 p").coalesce(1)
        write(rows, tmp_path / "t", mode="append", partition_by="p")
    return DeltaTable.forPath(spark, str(tmp_path / "t"))


def files(table: DeltaTable) -> int:
    return int(table.detail().collect()[0].numFiles)


def test_methods_return_what_those_of_delta_tables_return(spark: SparkSession, table: DeltaTable) -> None:
    history = table.history(2)
    assert [(row.version, row.operation) for row in history.collect()] == [(2, "WRITE"), (1, "WRITE")]
    assert history.select("operationParameters.mode", "isBlindAppend").first() == ("Append", True)
    merge = table.alias("t").merge(spark.range(10, 14).selectExpr("id", "0 p").alias("s"), "t.id = s.id")
    merged = merge.whenMatchedUpdate("t.id = 10", {"p": "5"}).whenMatchedDelete().whenNotMatchedInsertAll().execute()
    assert merged.columns == ["num_affected_rows", "num_updated_rows", "num_deleted_rows", "num_inserted_rows"]
    assert merged.collect() == [(4, 1, 1, 2)]
    assert table.last_commit is not None
    assert table.last_commit.table_version == 3
    untyped: Any = table
    assert untyped.delete("id = 0") is None
    assert untyped.update("id = 1", {"p": "7"}) is None
    assert table.last_commit.table_version == 5
    empty = table.vacuum()
    assert (empty.columns, empty.collect()) == ([], [])
    assert table.history(2).select("operation").collect() == [("VACUUM END",), ("VACUUM START",)]


def test_a_table_is_restored_by_version_and_moment(spark: SparkSession, table: DeltaTable) -> None:
    (moment,) = table.history().where("version = 1").selectExpr("cast(timestamp as string)").first() or ("",)
    restored = table.restoreToVersion(0)
    assert restored.columns[:2] == ["table_size_after_restore", "num_of_files_after_restore"]
    assert restored.collect()[0].num_removed_files == 4
    assert table.toDF().count() == 4
    table.restoreToTimestamp(timestamp=moment)
    assert table.toDF().count() == 8
    assert table.history(1).select("operationParameters.timestamp").first() != (None,)
    untyped: Any = table
    for argument, call in (("version", untyped.restoreToVersion), ("timestamp", untyped.restoreToTimestamp)):
        with pytest.raises(ValueError, match=f"{argument} needs to be a"):
            call({})


def test_compaction_writes_small_files_together(spark: SparkSession, table: DeltaTable) -> None:
    rows = sorted(map(tuple, table.toDF().collect()))
    done = table.optimize().where("p = 0").executeCompaction().collect()[0]
    assert (done.metrics.numFilesAdded, done.metrics.numFilesRemoved, done.metrics.numBins) == (1, 3, 1)
    assert files(table) == 4
    table.optimize().executeCompaction()
    assert files(table) == 2
    committed = table.last_commit
    assert committed is not None
    assert not any(getattr(action, "data_change", False) for action in committed.actions)
    assert sorted(map(tuple, table.toDF().collect())) == rows
    again = table.optimize().executeCompaction().collect()[0]
    assert again.metrics.numFilesAdded == 0
    assert table.last_commit is None
    with pytest.raises(OptimizePredicateError, match="non-partition column 'id'"):
        table.optimize().where("id = 1").executeCompaction()
    with pytest.raises(TypeError, match="Z-order column must be str"):
        table.optimize().executeZOrderBy([1])  # type: ignore[list-item]
    ordered = table.optimize().executeZOrderBy("id").collect()[0]
    assert (ordered.metrics.numFilesAdded, ordered.metrics.zOrderStats.strategyName) == (2, "all")
    assert sorted(map(tuple, table.toDF().collect())) == rows


def test_protocol_and_features_are_changed_under_the_names_of_delta_tables(table: DeltaTable) -> None:
    table.upgradeTableProtocol(1, 3)
    table.upgradeTableProtocol(1, 3)
    assert str(table.table.update().protocol) == "1,3"
    table.upgradeTableProtocol(1, 2)
    assert str(table.table.update().protocol) == "1,3"
    table.addFeatureSupport("deletionVectors")
    table.dropFeatureSupport("deletionVectors")
    assert "deletionVectors" not in table.table.update().protocol.writer_feature_names
    untyped: Any = table
    bad: list[tuple[Any, str]] = [
        (
            lambda: untyped.upgradeTableProtocol("abc", 3),
            "The readerVersion needs to be an integer but got '<class 'str'>'.",
        ),
        (lambda: untyped.upgradeTableProtocol(1, [1]), "The writerVersion needs to be an integer"),
        (lambda: untyped.dropFeatureSupport(12), "featureName needs to be a string but got '<class 'int'>'."),
        (lambda: untyped.dropFeatureSupport("a", 1), "truncateHistory needs to be a boolean but got"),
    ]
    for call, message in bad:
        with pytest.raises(ArgumentInvalidError) as error:
            call()
        assert message in str(error.value)


def test_manifests_are_generated(table: DeltaTable) -> None:
    table.generate("symlink_format_manifest")
    root = Path(table.table.log.store.location)
    manifest = root / "_symlink_format_manifest" / "p=0" / "manifest"
    assert len(manifest.read_text().splitlines()) == 3
    table.delete("p = 0")
    table.generate(mode="symlink_format_manifest")
    assert not manifest.exists()
    assert (root / "_symlink_format_manifest" / "p=1" / "manifest").exists()
    with pytest.raises(ArgumentInvalidError, match="Specified mode 'other' is not supported"):
        table.generate("other")


def test_a_missing_method_names_what_to_call_instead(spark: SparkSession, table: DeltaTable) -> None:
    calls: list[Any] = [
        lambda: table.clone("/x"),
        lambda: table.clone("db.t", isShallow=True),
        lambda: table.cloneAtVersion(1, "/x"),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError) as error:
            call()
        assert getattr(error.value, "fix", "")
    path = table.table.log.store.location
    assert DeltaTable.forName(spark, f"delta.`{path}`").toDF().count() == 12


def test_a_table_is_declared_call_by_call(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "new")

    def declared(builder: DeltaTableBuilder) -> DeltaTableBuilder:
        more = StructType([StructField("d", StringType(), True, {"k": 1})])
        builder = builder.location(path).comment("ours").property("mine", "1")
        builder = builder.addColumn("id", "BIGINT", generatedByDefaultAs=IdentityGenerator(start=5, step=2))
        builder = builder.addColumn("a b", IntegerType(), nullable=False, comment="a number")
        return builder.addColumn("twice", "int", generatedAlwaysAs="`a b` * 2").addColumns(more).partitionedBy("d")

    with pytest.raises(TableNotFoundError):
        declared(DeltaTable.replace(spark)).execute()
    table = declared(DeltaTable.create(spark)).property("delta.columnMapping.mode", "name").execute()
    assert isinstance(table, DeltaTable)
    write(spark.sql("select 1 `a b`, 'x' d union all select 2, 'y'").coalesce(1), path, mode="append")
    assert sorted(map(tuple, read(spark, path).collect())) == [(5, 1, 2, "x"), (7, 2, 4, "y")]
    detail = table.detail().collect()[0]
    assert (detail.description, detail.partitionColumns, detail.properties["mine"]) == ("ours", ["d"], "1")
    with pytest.raises(TableExistsError):
        declared(DeltaTable.create(spark)).execute()
    DeltaTable.createIfNotExists(spark).location(path).addColumn("other", "int").execute()
    assert read(spark, path).count() == 2
    replaced = DeltaTable.createOrReplace(spark).tableName(f"delta.`{path}`").addColumn("z", "string").clusterBy("z")
    assert replaced.execute().toDF().columns == ["z"]
    assert table.detail().collect()[0].clusteringColumns == ["z"]
    assert table.optimize().executeCompaction().collect()[0].metrics.numFilesAdded == 0


def test_a_builder_checks_its_arguments(spark: SparkSession) -> None:
    builder: Any = DeltaTable.create(spark)
    one = IdentityGenerator()
    calls: list[tuple[Any, type[Exception], str]] = [
        (lambda: builder.location(1), ArgumentTypeError, "Location must be str."),
        (lambda: builder.tableName(1), ArgumentTypeError, "Identifier must be str."),
        (lambda: builder.comment(1), ArgumentTypeError, "Table comment must be str."),
        (lambda: builder.addColumn(1, "int"), ArgumentTypeError, "Column name must be str."),
        (lambda: builder.addColumn("a", 1), ArgumentTypeError, "Column data type must be str or DataType."),
        (lambda: builder.addColumn("a", "int", "no"), ArgumentTypeError, "Column nullable must be bool."),
        (lambda: builder.addColumn("a", "int", generatedAlwaysAs=1), ArgumentTypeError, "Generated always as"),
        (lambda: builder.addColumn("a", "int", generatedByDefaultAs="1"), ArgumentTypeError, "Generated by default"),
        (
            lambda: builder.addColumn("a", "bigint", generatedAlwaysAs=one, generatedByDefaultAs=one),
            ArgumentInvalidError,
            "cannot both be set",
        ),
        (
            lambda: builder.addColumn("a", "bigint", generatedAlwaysAs=IdentityGenerator(step=0)),
            ArgumentInvalidError,
            "requires step to be non-zero",
        ),
        (lambda: builder.addColumns([1]), ArgumentTypeError, "Column in existing schema must be StructField."),
        (lambda: builder.addColumns(1), ArgumentTypeError, "Schema must be StructType"),
        (lambda: builder.partitionedBy(1), ArgumentTypeError, "Partitioning column must be str."),
        (lambda: builder.clusterBy(["a", 1]), ArgumentTypeError, "Clustering column must be str."),
        (lambda: builder.property("a", 1), ArgumentTypeError, "Key and value of property must be string."),
        (builder.execute, TableDeclarationError, "Table name or location has to be specified"),
    ]
    for call, kind, message in calls:
        with pytest.raises(kind) as error:
            call()
        assert message in str(error.value)
