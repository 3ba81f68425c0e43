"""Which schemas with void columns rows can be written under."""

from __future__ import annotations

import pytest

from deltaresolver.errors import WriteSchemaMismatchError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType
from deltaresolver.spark.writing.void_columns import storable

ID = StructField("id", "long")
LISTED = (ArrayType("void", True), MapType("string", "void", True), ArrayType(ArrayType("void", True), True))


def metadata_of(kind: DataType) -> Metadata:
    return Metadata("t").with_schema(StructType((ID, StructField("c", kind))))


@pytest.mark.parametrize("kind", LISTED)
def test_arrays_and_maps_of_void_make_no_column(kind: DataType) -> None:
    for each in (kind, StructType((ID, StructField("inner", kind)))):
        with pytest.raises(WriteSchemaMismatchError) as caught:
            storable(metadata_of(each))
        assert caught.value.delta_condition == "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE"


def test_a_void_column_is_left_out_of_files() -> None:
    for kind in ("void", StructType((ID, StructField("inner", "void")))):
        assert storable(metadata_of(kind)) == metadata_of(kind)
