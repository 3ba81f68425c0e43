"""Creating a table: the first commit as CREATE TABLE writes it, with the lowest protocol that will do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from deltaresolver.errors import (
    ClusteringError,
    SchemaMalformedError,
    SchemaRuleError,
    StatementUnreadableError,
    TableExistsError,
)
from deltaresolver.model.protocol import Protocol
from deltaresolver.table import Table

FIELD = {"name": "id", "type": "long", "nullable": True, "metadata": {}}
STRUCT: dict[str, Any] = {"type": "struct", "fields": [FIELD]}


def first_commit(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "_delta_log" / f"{0:020}.json").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_the_first_commit_is_as_create_table_writes_it(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", STRUCT, name="events", description="what happened", properties={"x": "y"})
    info, metadata, protocol = first_commit(tmp_path / "t")
    assert info["commitInfo"]["operation"] == "CREATE TABLE"
    assert list(info["commitInfo"]["operationParameters"].items()) == [
        ("partitionBy", "[]"),
        ("clusterBy", "[]"),
        ("description", "what happened"),
        ("isManaged", "false"),
        ("properties", '{"x":"y"}'),
    ]
    assert (metadata["metaData"]["name"], metadata["metaData"]["description"]) == ("events", "what happened")
    assert protocol == {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
    assert table.snapshot().table_version == 0


def test_a_schema_may_be_given_in_four_ways(tmp_path: Path) -> None:
    parsed = Table.create(tmp_path / "a", STRUCT).metadata.schema
    bare = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True}]}
    for number, schema in enumerate((json.dumps(STRUCT), parsed, bare, pa.schema([("id", pa.int64())]))):
        assert Table.create(tmp_path / str(number), schema).metadata.schema_string == json.dumps(
            STRUCT, separators=(",", ":")
        )


def test_a_schema_may_have_arrow_types(tmp_path: Path) -> None:
    schema = pa.schema(
        [
            pa.field(
                "a", pa.list_(pa.field("element", pa.struct([pa.field("b", pa.decimal128(9, 2), nullable=False)])))
            ),
            pa.field("m", pa.map_(pa.string(), pa.float32())),
            pa.field("t", pa.timestamp("us", "UTC")),
            pa.field("n", pa.timestamp("us")),
            pa.field("d", pa.date32(), nullable=False),
        ]
    )
    table = Table.create(tmp_path / "t", schema)
    fields = json.loads(table.metadata.schema_string or "")["fields"]
    assert fields[0]["type"]["elementType"]["fields"][0] == {
        "name": "b",
        "type": "decimal(9,2)",
        "nullable": False,
        "metadata": {},
    }
    assert fields[1]["type"] == {"type": "map", "keyType": "string", "valueType": "float", "valueContainsNull": True}
    assert [field["type"] for field in fields[2:]] == ["timestamp", "timestamp_ntz", "date"]
    assert table.protocol == Protocol.of(3, 7, ["timestampNtz"], ["appendOnly", "invariants", "timestampNtz"]), (
        "a type brings its feature"
    )
    with pytest.raises(SchemaRuleError, match="duration"):
        Table.create(tmp_path / "no", pa.schema([("x", pa.duration("us"))]))


def test_session_defaults_become_properties_and_instructions_do_not(tmp_path: Path) -> None:
    session = {"spark.databricks.delta.properties.defaults.enableDeletionVectors": "true"}
    table = Table.create(tmp_path / "t", STRUCT, properties={"delta.feature.rowTracking": "supported"}, session=session)
    assert table.metadata.configuration["delta.enableDeletionVectors"] == "true"
    assert not any(key.startswith("delta.feature.") for key in table.metadata.configuration)
    assert {"deletionVectors", "rowTracking", "domainMetadata"} <= table.protocol.writer_feature_names


def test_column_mapping_names_the_columns_of_a_new_table(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", STRUCT, properties={"delta.columnMapping.mode": "name"})
    (field,) = table.metadata.schema.fields
    assert (field.metadata or {})["delta.columnMapping.id"] == 1
    assert table.metadata.configuration["delta.columnMapping.maxColumnId"] == "1"


def test_no_table_is_created_twice_or_around_other_files(tmp_path: Path) -> None:
    Table.create(tmp_path / "t", STRUCT)
    with pytest.raises(TableExistsError, match="already"):
        Table.create(tmp_path / "t", STRUCT)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "part-0.parquet").write_bytes(b"x")
    with pytest.raises(TableExistsError) as raised:
        Table.create(tmp_path / "files", STRUCT)
    assert raised.value.delta_condition == "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION"
    assert not (tmp_path / "files" / "_delta_log").exists()


def test_bad_schemas_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(SchemaRuleError):
        Table.create(tmp_path / "a", {"type": "struct", "fields": []})
    with pytest.raises(SchemaMalformedError):
        Table.create(tmp_path / "b", '{"type": "nonsense"}')
    with pytest.raises(StatementUnreadableError, match="a type is expected"):
        Table.create(tmp_path / "b", "nonsense")
    with pytest.raises(SchemaRuleError, match="partitioned by missing"):
        Table.create(tmp_path / "c", STRUCT, partition_columns=["missing"])
    assert list(tmp_path.iterdir()) == []


def test_a_table_is_created_with_partition_columns(tmp_path: Path) -> None:
    table = Table.create(
        tmp_path / "t", pa.schema([("id", pa.int64()), ("day", pa.date32())]), partition_columns=["day"]
    )
    assert table.metadata.partition_columns == ("day",)
    assert first_commit(tmp_path / "t")[0]["commitInfo"]["operationParameters"]["partitionBy"] == '["day"]'


def test_no_table_is_partitioned_that_supports_clustering(tmp_path: Path) -> None:
    session = {"spark.databricks.delta.properties.defaults.feature.clustering": "supported"}
    table = Table.create(tmp_path / "t", STRUCT, session=session)
    with pytest.raises(ClusteringError, match="supports clustering") as raised:
        table.sql("REPLACE TABLE t (id BIGINT, p STRING) USING delta PARTITIONED BY (p)")
    assert raised.value.delta_condition == "DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE"
    with pytest.raises(ClusteringError):
        Table.create(tmp_path / "new", "id BIGINT, p STRING", partition_columns=["p"], session=session)


@pytest.mark.parametrize(
    ("expression", "condition"),
    [
        ("rand()", "UNSUPPORTED_EXPRESSION_GENERATED_COLUMN"),
        ("current_date()", "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN"),
        ("concat(v, current_user())", "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN"),
    ],
)
def test_no_column_is_generated_from_chance_or_from_the_moment(tmp_path: Path, expression: str, condition: str) -> None:
    table = Table.create(tmp_path / "t", STRUCT)
    with pytest.raises(SchemaRuleError) as raised:
        table.sql(f"REPLACE TABLE t (v STRING, g STRING GENERATED ALWAYS AS ({expression})) USING delta")
    assert raised.value.delta_condition == condition


def test_a_feature_that_the_versions_imply_is_noted_when_it_is_asked_for(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", STRUCT)
    table.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.appendOnly' = 'supported')")
    written = (tmp_path / "t" / "_delta_log" / f"{1:020}.json").read_text()
    assert '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}' in written
    assert table.protocol == Protocol(1, 2)
