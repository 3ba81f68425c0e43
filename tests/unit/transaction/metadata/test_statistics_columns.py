"""Columns named for statistics: how they are spelled, and which are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deltaresolver.errors import DeltaResolverError, PropertyInvalidError, SchemaRuleError
from deltaresolver.log.checkpoint.indexed_leaves import indexed_leaves, named_columns
from deltaresolver.model.schema import quoted
from deltaresolver.table import Table


def field(name: str, kind: object) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": True, "metadata": {}}


INNER = {"type": "struct", "fields": [field("x", "long"), field("y.z", "binary")]}
ARRAY = {"type": "array", "elementType": "long", "containsNull": True}
FIELDS = [field("Id", "long"), field("s", INNER), field("a.b", "string"), field("q`t", "date"), field("l", ARRAY)]
SCHEMA = {"type": "struct", "fields": [*FIELDS, field("bin", "binary"), field("p", "long")]}
INTERVAL = field("d", "interval day to second")


def created(path: Path, named: str) -> Table:
    properties = {"delta.dataSkippingStatsColumns": named}
    return Table.create(path, SCHEMA, partition_columns=["p"], properties=properties)


@pytest.mark.parametrize(
    ("named", "leaves"),
    [
        ("", []),
        (" ", []),
        ("id", ["Id"]),
        (" ID , s.x", ["Id", "s.x"]),
        ("s", ["s.x", "s.y.z"]),
        ("S.`y.z`,`a.b`", ["s.y.z", "a.b"]),
        ("`q``t`", ["q`t"]),
    ],
)
def test_columns_are_found_however_they_are_spelt(tmp_path: Path, named: str, leaves: list[str]) -> None:
    found = indexed_leaves(created(tmp_path / "t", named).metadata)
    assert [".".join(leaf.physical) for leaf in found] == leaves


@pytest.mark.parametrize(
    ("named", "kind", "condition"),
    [
        ("zz", SchemaRuleError, "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
        ("a.b", SchemaRuleError, "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
        ("l", SchemaRuleError, "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE"),
        ("bin", SchemaRuleError, "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE"),
        ("p", SchemaRuleError, "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN"),
        ("s,s.x", SchemaRuleError, "DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS"),
        ("Id,", PropertyInvalidError, None),
        ("`Id", PropertyInvalidError, None),
    ],
)
def test_wrong_columns_are_refused_and_no_table_is_made(
    tmp_path: Path, named: str, kind: type[DeltaResolverError], condition: str | None
) -> None:
    with pytest.raises(kind) as refused:
        created(tmp_path / "t", named)
    assert refused.value.delta_condition == condition
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("kept", ["a,b", "a b", "a.b", "é", "a`b", "a-b", "1a"])
def test_the_list_is_still_a_list_after_a_column_beside_is_renamed(tmp_path: Path, kept: str) -> None:
    properties = {"delta.columnMapping.mode": "name", "delta.dataSkippingStatsColumns": f"{quoted(kept)},old"}
    table = Table.create(tmp_path, f"{quoted(kept)} int, old int, other int", properties=properties)
    table.rename_column("old", "new")
    assert named_columns(table.log.update().metadata) == ((kept,), ("new",))


def test_a_type_that_delta_lacks_is_named_for_what_delta_spark_names(tmp_path: Path) -> None:
    schema = {"type": "struct", "fields": [field("id", "long"), INTERVAL]}
    with pytest.raises(SchemaRuleError) as named:
        Table.create(tmp_path / "named", schema, properties={"delta.dataSkippingStatsColumns": "id,d"})
    assert named.value.delta_condition == "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE"
    with pytest.raises(SchemaRuleError) as plain:
        Table.create(tmp_path / "plain", schema, properties={"delta.dataSkippingStatsColumns": "id"})
    assert plain.value.delta_condition == "DELTA_UNSUPPORTED_DATA_TYPES"
