"""The tables of the interop matrix: for each what it holds, how each writer makes it, and what proves that it did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

import deltaresolver.spark as ds
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rows = Sequence[Sequence[str]]
Shown = Callable[[Table], bool]
IDENTITY = {"delta.identity.start": 1, "delta.identity.step": 1, "delta.identity.allowExplicitInsert": False}
SOURCE = "SELECT * FROM VALUES (1L, 'a'), (2L, 'b'), (3L, NULL) AS t(id, v)"
ALL = (("1", "a"), ("2", "b"), ("3", "None"))
NO_METADATA: Mapping[str, Any] = {}


def supports(feature: str) -> Shown:
    """Whether the table's protocol names a feature, or implies it by its versions."""
    implied = {"columnMapping": 5, "changeDataFeed": 4, "generatedColumns": 4, "identityColumns": 6}

    def shown(table: Table) -> bool:
        protocol = table.protocol
        return feature in protocol.writer_feature_names or (
            not protocol.lists_writer_features and protocol.min_writer_version >= implied.get(feature, 99)
        )

    return shown


def has_vector(table: Table) -> bool:
    """Whether a file has deleted rows."""
    return any(add.deletion_vector is not None for add in table.snapshot().add_actions())


def has_v2_checkpoint(table: Table) -> bool:
    """Whether the protocol allows V2 checkpoints and there is a checkpoint."""
    log = Path(table.log.store.location) / "_delta_log"
    return supports("v2Checkpoint")(table) and any(log.glob("*.checkpoint*.parquet"))


def always(table: Table) -> bool:
    """Whether there is a table."""
    return table.snapshot().table_version >= 0


@attrs.frozen
class Feature:
    """One row of the matrix.

    columns     of CREATE TABLE, in SQL
    source      the rows written, in Spark SQL
    expected    the rows a reader gives, as text
    undecoded   the same from a reader that does not know the type and gives what the file holds
    shown       what readers on Spark select
    third       metadata of the column `g`, for which `source` gives no values
    carried     whether a table has what this row of the matrix is about
    delete      whether the row with id 2 is deleted at last
    widen       whether `id` begins as an INT and grows
    """

    expected: Rows = ALL
    undecoded: Rows = ()
    columns: str = "id LONG, v STRING"
    source: str = SOURCE
    properties: Mapping[str, str] = attrs.field(factory=dict)
    partition_by: tuple[str, ...] = ()
    shown: tuple[str, ...] = ("*",)
    third: Mapping[str, Any] = NO_METADATA
    delete: bool = False
    widen: bool = False
    carried: Shown = always


def switched_on(property_name: str, feature: str, value: str = "true", **more: Any) -> Feature:
    """A feature that a property switches on."""
    return Feature(properties={property_name: value}, **{"carried": supports(feature), **more})


SPACED = {"columns": "id LONG, `v w` STRING", "source": SOURCE.replace("t(id, v)", "t(id, `v w`)")}
# {"k": [1, null]} as the Variant encoding writes it.
VARIANT_NAMES = b"\x01\x01\x00\x01k"
VARIANT_VALUE = b"\x02\x01\x00\x00\x08\x03\x02\x00\x02\x03\x0c\x01\x00"
FEATURES: dict[str, Feature] = {
    "plain": Feature(),
    "partitioned": Feature(
        expected=(("1", "a b/%=:?"), ("2", "é"), ("3", "None")),
        source="SELECT * FROM VALUES (1L, 'a b/%=:?'), (2L, 'é'), (3L, NULL) AS t(id, v)",
        partition_by=("v",),
        shown=("id", "v"),
    ),
    "column mapping by name": switched_on("delta.columnMapping.mode", "columnMapping", "name", **SPACED),
    "column mapping by id": switched_on("delta.columnMapping.mode", "columnMapping", "id", **SPACED),
    "deletion vectors": switched_on(
        "delta.enableDeletionVectors",
        "deletionVectors",
        carried=has_vector,
        delete=True,
        expected=(("1", "a"), ("3", "None")),
    ),
    "change data feed": switched_on(
        "delta.enableChangeDataFeed",
        "changeDataFeed",
        delete=True,
        shown=("id", "v", "_change_type"),
        expected=(("1", "a", "insert"), ("2", "b", "delete"), ("2", "b", "insert"), ("3", "None", "insert")),
    ),
    "timestamp_ntz": Feature(
        expected=(("1", "2024-03-31 02:30:00.123456"),),
        columns="id LONG, n TIMESTAMP_NTZ",
        source="SELECT 1L id, timestamp_ntz'2024-03-31 02:30:00.123456' n",
        carried=supports("timestampNtz"),
    ),
    "variant": Feature(
        expected=(("1", '{"k":[1,null]}'),),
        undecoded=(("1", str({"metadata": VARIANT_NAMES, "value": VARIANT_VALUE})),),
        columns="id LONG, v VARIANT",
        source="SELECT 1L id, parse_json('{\"k\": [1, null]}') v",
        shown=("id", "CAST(v AS STRING) AS v"),
        carried=supports("variantType"),
    ),
    "generated column": Feature(
        expected=(("1", "a", "2"), ("2", "b", "4"), ("3", "None", "6")),
        columns="id LONG, v STRING, g LONG GENERATED ALWAYS AS (id * 2)",
        third={"delta.generationExpression": "id * 2"},
        carried=supports("generatedColumns"),
    ),
    "identity column": Feature(
        expected=(("1", "a", "1"),),  # of several rows only the first has a value that is certain
        columns="id LONG, v STRING, g LONG GENERATED ALWAYS AS IDENTITY",
        source="SELECT 1L id, 'a' v",
        third=IDENTITY,
        carried=supports("identityColumns"),
    ),
    "column default": Feature(
        expected=(("1", "a", "7"), ("2", "b", "7"), ("3", "None", "7")),
        columns="id LONG, v STRING, g LONG DEFAULT 7",
        properties={"delta.feature.allowColumnDefaults": "supported"},
        third={"CURRENT_DEFAULT": "7"},
        carried=supports("allowColumnDefaults"),
    ),
    "type widening": switched_on(
        "delta.enableTypeWidening",
        "typeWidening",
        columns="id INT, v STRING",
        source="SELECT CAST(id AS INT) AS id, v FROM (" + SOURCE + ")",
        widen=True,
        expected=(*ALL, ("5000000000", "big")),
    ),
    "V2 checkpoint": Feature(
        properties={"delta.checkpointPolicy": "v2", "delta.checkpointInterval": "1"}, carried=has_v2_checkpoint
    ),
    "row tracking": switched_on(
        "delta.enableRowTracking",
        "rowTracking",
        shown=("id", "v", "row_id"),
        expected=(("1", "a", "0"), ("2", "b", "1"), ("3", "None", "2")),
    ),
    "in-commit timestamps": switched_on("delta.enableInCommitTimestamps", "inCommitTimestamp"),
}
WIDER = "SELECT 5000000000L id, 'big' v"


def write_ours(spark: SparkSession, feature: Feature, path: Path) -> None:
    """The table by `deltaresolver.spark`."""
    rows = spark.sql(feature.source).coalesce(1)
    if feature.third:
        schema = {
            "type": "struct",
            "fields": [
                {"name": "id", "type": "long", "nullable": True, "metadata": {}},
                {"name": "v", "type": "string", "nullable": True, "metadata": {}},
                {"name": "g", "type": "long", "nullable": True, "metadata": dict(feature.third)},
            ],
        }
        Table.create(path, schema, properties=feature.properties)
        ds.write(rows, path, mode="append")
    else:
        first = rows.limit(0) if "delta.checkpointInterval" in feature.properties else rows
        ds.write(first, path, partition_by=feature.partition_by, properties=feature.properties)
        if first is not rows:
            ds.write(rows, path, mode="append")
    if feature.widen:
        ds.write(spark.sql(WIDER), path, mode="append", options={"mergeSchema": True})
    if feature.delete:
        ds.delete(spark, path, "id = 2")


def write_by_delta_spark(peer: DeltaSpark, feature: Feature, path: Path) -> None:
    """The table by delta-spark's SQL."""
    texts = ", ".join(f"'{key}' = '{value}'" for key, value in feature.properties.items())
    given = f" TBLPROPERTIES ({texts})" if texts else ""
    parts = f" PARTITIONED BY ({', '.join(feature.partition_by)})" if feature.partition_by else ""
    peer.sql(f"CREATE TABLE {{table}} ({feature.columns}) USING delta{parts}{given}", path)
    peer.spark.sql(feature.source).coalesce(1).createOrReplaceTempView("interop_rows")
    names = "(id, v)" if feature.third else ""
    peer.sql(f"INSERT INTO {{table}} {names} SELECT /*+ COALESCE(1) */ * FROM interop_rows", path)
    if feature.widen:
        peer.sql("ALTER TABLE {table} ALTER COLUMN id TYPE BIGINT", path)
        peer.sql("INSERT INTO {table} " + WIDER, path)
    if feature.delete:
        peer.sql("DELETE FROM {table} WHERE id = 2", path)
