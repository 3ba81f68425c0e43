"""Ids of columns: the highest one counts those of the elements of arrays and maps."""

from __future__ import annotations

import pytest

from deltaresolver.features.behaviour.column_ids import highest_id
from deltaresolver.model.schema import StructField, StructType

ID = "delta.columnMapping.id"
NESTED = "delta.columnMapping.nested.ids"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ([], 0),
        ([None, {}], 0),
        ([{ID: 7}, {ID: 3}], 7),
        ([{ID: 3}, None, {ID: 7}], 7),
        ([{ID: 3, NESTED: {"a.element": 9}}, {ID: 7}], 9),
        ([{ID: "7"}], 0),
    ],
)
def test_the_highest_id_counts_elements_of_arrays_and_maps(
    metadata: list[dict[str, object] | None], expected: int
) -> None:
    fields = [StructField(f"c{number}", "long", True, given) for number, given in enumerate(metadata)]
    assert highest_id(StructType(tuple(fields))) == expected
