"""Types that become wider through a write are noted as ALTER TABLE notes them, wherever in a column they are."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import deltaresolver as dr
from deltaresolver.errors import WriteSchemaMismatchError
from deltaresolver.model.facts.keys import TYPE_WIDENING
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import ArrayType, DataType, FieldPath, MapType, StructField, StructType, quote_path
from deltaresolver.spark.writing.schema_merge import fits, merge_schemas
from deltaresolver.spark.writing.table_change import merge_policy

FEATURES = ("typeWidening", "typeWidening-preview")
UNASKED = [("byte", "short"), ("integer", "long"), ("float", "double"), ("decimal(5,2)", "decimal(12,4)")]
ASKED_ONLY = [("integer", "double"), ("long", "decimal(20,0)"), ("date", "timestamp_ntz"), ("byte", "decimal(10,0)")]
PLACES: dict[FieldPath, str] = {
    ("c",): "c {0}",
    ("c", "element"): "c array<{0}>",
    ("c", "value"): "c map<string, {0}>",
    ("c", "key"): "c map<{0}, string>",
    ("c", "f`.x"): "c struct<`f``.x`: {0}>",
    ("c", "element", "value", "f"): "c array<map<string, struct<f: {0}>>>",
    ("c", "value", "element"): "c map<string, array<{0}>>",
}


def table(path: Path, columns: str, *more: str) -> dr.Table:
    properties = {TYPE_WIDENING: "true", **{f"delta.feature.{name}": "supported" for name in more}}
    return dr.Table.create(path, columns, properties=properties)


def metadata_of(one: dr.Table) -> Metadata:
    return one.log.update().metadata


def sql(kind: str) -> str:
    return {"long": "bigint", "integer": "int", "byte": "tinyint", "short": "smallint"}.get(kind, kind)


def replaced(data_type: DataType, path: FieldPath, new: str) -> DataType:
    """The type with the leaf at a path replaced; by hand, for it is the question."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(data_type, StructType):
        fields = [
            msgspec.structs.replace(field, type=replaced(field.type, rest, new)) if field.name == head else field
            for field in data_type.fields
        ]
        return StructType(tuple(fields))
    if isinstance(data_type, ArrayType):
        return ArrayType(replaced(data_type.element_type, rest, new))
    assert isinstance(data_type, MapType)
    if head == "key":
        return MapType(replaced(data_type.key_type, rest, new), data_type.value_type)
    return MapType(data_type.key_type, replaced(data_type.value_type, rest, new))


def rows(schema: StructType, path: FieldPath, new: str) -> StructType:
    found = replaced(schema, path, new)
    assert isinstance(found, StructType)
    return StructType(tuple(StructField(field.name, field.type) for field in found.fields))


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize(("before", "after"), UNASKED)
@pytest.mark.parametrize("path", list(PLACES), ids=".".join)
def test_a_write_notes_what_alter_table_notes(
    tmp_path: Path, path: FieldPath, before: str, after: str, feature: str
) -> None:
    columns = PLACES[path].format(sql(before))
    written = table(tmp_path / "written", columns, feature)
    transaction = written.start_transaction()
    schema = transaction.metadata.schema
    merged = merge_schemas(schema, rows(schema, path, after), merge_policy(transaction, merges=True))

    altered = table(tmp_path / "altered", columns, feature)
    altered.change_column(quote_path(path), type=sql(after))
    assert merged == metadata_of(altered).schema
    assert merged != schema


@pytest.mark.parametrize(("before", "after"), ASKED_ONLY)
def test_other_widenings_take_alter_table(tmp_path: Path, before: str, after: str) -> None:
    written = table(tmp_path, f"c {sql(before)}")
    transaction = written.start_transaction()
    schema = transaction.metadata.schema
    with pytest.raises(WriteSchemaMismatchError):
        merge_schemas(schema, rows(schema, ("c",), after), merge_policy(transaction, merges=True))


@pytest.mark.parametrize(
    ("given", "wanted", "expected"),
    [
        ("integer", "decimal(10,0)", True),
        ("integer", "decimal(9,0)", False),
        ("byte", "decimal(3, 0)", True),
        ("decimal(5, 2)", "decimal(10,2)", True),
        ("decimal(5,2)", "decimal(5,3)", False),
        ("double", "decimal(38,15)", False),
        ("decimal", "decimal(10,0)", True),
        ("string", "decimal(38,0)", False),
    ],
)
def test_which_values_fit_a_decimal(given: str, wanted: str, expected: bool) -> None:
    assert fits(given, wanted) is expected
