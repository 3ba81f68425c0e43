"""Tables whose columns we declared and changed: delta-spark writes rows into them and reads them as we mean them."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import DeltaTable

from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = pytest.mark.peer

DECLARED = """
    id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 5),
    ts TIMESTAMP NOT NULL,
    day DATE GENERATED ALWAYS AS (CAST(ts AS DATE)) COMMENT 'of arrival',
    word VARCHAR(4) DEFAULT 'none',
    s STRUCT<a: SMALLINT, l: ARRAY<INT>>
"""
PROPERTIES = {
    "delta.columnMapping.mode": "name",
    "delta.enableTypeWidening": "true",
    "delta.feature.allowColumnDefaults": "supported",
}


def test_delta_spark_fills_in_and_follows_what_we_declare(tmp_path: Path, delta_spark: DeltaSpark) -> None:
    name = f"delta.`{tmp_path / 't'}`"
    table = Table.create(tmp_path / "t", DECLARED, cluster_by=["day", "s.a"], properties=PROPERTIES)
    insert = f"INSERT INTO {name} (ts, s) VALUES (TIMESTAMP'2024-05-06 07:08:09', named_struct('a', 1S, 'l', array(2)))"
    delta_spark.sql(insert)
    table.change_column("s.a", type="INT")
    table.change_column("s.l.element", type="BIGINT")
    table.rename_column("s", "parts")
    table.add_columns("note STRING COMMENT 'free' AFTER id, parts.`odd name` INT FIRST")
    table.change_column("word", type="VARCHAR(8)", default="'nothing'")
    table.add_constraint("positive", "parts.a > 0", row_check=lambda *_: None)
    table.drop_constraint("positive")
    table.add_constraint("even", "id % 5 = 0", row_check=lambda *_: None)
    table.cluster_by("note")
    delta_spark.sql(
        f"INSERT INTO {name} (ts, note, parts) VALUES (TIMESTAMP'2024-05-07 00:00:00', 'n', "
        "named_struct('odd name', 3, 'a', 70000, 'l', array(5000000000L)))"
    )
    table.drop_columns("ts", "day")
    rows = [row.asDict(recursive=True) for row in delta_spark.sql(f"SELECT * FROM {name} ORDER BY id").collect()]
    assert rows == [
        {"id": 10, "note": None, "word": "none", "parts": {"odd name": None, "a": 1, "l": [2]}},
        {"id": 15, "note": "n", "word": "nothing", "parts": {"odd name": 3, "a": 70000, "l": [5000000000]}},
    ]
    detail = delta_spark.sql(f"DESCRIBE DETAIL {name}").collect()[0]
    assert (detail["clusteringColumns"], detail["properties"]["delta.constraints.even"]) == (["note"], "id % 5 = 0")
    with pytest.raises(Exception, match="DELTA_EXCEED_CHAR_VARCHAR_LIMIT"):
        delta_spark.sql(f"INSERT INTO {name} (word) VALUES ('too long for it')").collect()


def test_delta_rs_reads_columns_we_added(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", "id INT, day DATE", partition_columns=["day"])
    table.add_columns("s STRUCT<a: INT> COMMENT 'more' FIRST")
    table.change_column("id", comment="number")
    schema = DeltaTable(str(tmp_path / "t")).schema()
    assert [(field.name, field.metadata) for field in schema.fields] == [
        ("s", {"comment": "more"}),
        ("id", {"comment": "number"}),
        ("day", {}),
    ]
