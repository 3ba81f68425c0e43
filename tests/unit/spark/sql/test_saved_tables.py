"""saveAsTable over an existing table: the clustering columns it names must be the table's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from deltaresolver.errors import WriteOptionError
from deltaresolver.spark.sql.saved_tables import ensure_clustering
from deltaresolver.table import Table

COLUMNS = "`a.b` INT, a STRUCT<b: INT, `c``d`: INT>"
OF_BOTH = {"delta.columnMapping.mode": "name"}
NAMES = ("`a.b`", "a.b", "a.`c``d`")


@pytest.mark.parametrize("column", NAMES)
@pytest.mark.parametrize("asked", [[name] for name in NAMES] + [["A.B"], ["`A.B`"], list(NAMES)])
def test_a_column_with_a_dot_is_another_than_a_field(tmp_path: Path, column: str, asked: Sequence[str]) -> None:
    table = Table.create(tmp_path / "t", COLUMNS, properties=OF_BOTH)
    table.sql(f"ALTER TABLE t CLUSTER BY ({column})")
    if [name.lower() for name in asked] == [column]:
        ensure_clustering(table, asked)
    else:
        with pytest.raises(WriteOptionError) as caught:
            ensure_clustering(table, asked)
        assert caught.value.details == {"asked": list(asked), "table": [column]}


def test_a_table_without_clustering_is_not_clustered_by_a_write(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", COLUMNS, properties=OF_BOTH)
    ensure_clustering(table, ())
    with pytest.raises(WriteOptionError, match="but the table by nothing"):
        ensure_clustering(table, ["a.b"])
