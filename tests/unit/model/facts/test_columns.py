"""Names of columns in files: by the mode, in any case; an unknown mode is never taken for no mode."""

from __future__ import annotations

import pytest

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.expressions.stored_column import find_column
from deltaresolver.log.checkpoint.indexed_leaves import indexed_leaves
from deltaresolver.model.facts.columns import assigned_name, is_mapped, mapping_mode, physical_name
from deltaresolver.model.facts.keys import MAPPING_MODE, PHYSICAL_NAME
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, StructType

FIELD = StructField("Ä b", "long", True, {PHYSICAL_NAME: "col-1"})
NEW = StructField("c", "long")


def table(mode: str | None) -> Metadata:
    configuration = {} if mode is None else {MAPPING_MODE: mode}
    return Metadata(configuration=configuration).with_schema(StructType((FIELD, NEW)))


@pytest.mark.parametrize(("mode", "expected"), [(None, "none"), ("NONE", "none"), ("Name", "name"), ("ID", "id")])
def test_a_mode_is_read_in_any_case(mode: str | None, expected: str) -> None:
    assert mapping_mode(table(mode)) == expected
    assert is_mapped(table(mode)) is (expected != "none")


@pytest.mark.parametrize("mode", ["", " name", "names", "nome", "true"])
def test_an_unknown_mode_is_refused_wherever_names_of_files_matter(mode: str) -> None:
    for ask in (mapping_mode, is_mapped, indexed_leaves, lambda metadata: find_column(metadata, ("c",))):
        with pytest.raises(PropertyInvalidError) as raised:
            ask(table(mode))
        assert raised.value.delta_class == "ColumnMappingUnsupportedException"


def test_a_field_without_a_physical_name_keeps_its_own() -> None:
    assert [physical_name(field, "name") for field in (FIELD, NEW)] == ["col-1", "c"]


def test_leftover_physical_names_mean_nothing_without_mapping() -> None:
    assert physical_name(FIELD, "none") == "Ä b"
    assert assigned_name(FIELD) == "col-1"


@pytest.mark.parametrize("mode", ["none", "name", "id"])
def test_pruning_statistics_and_files_agree_on_names(mode: str) -> None:
    metadata = table(mode)
    expected = [(physical_name(field, mode),) for field in (FIELD, NEW)]
    assert [leaf.physical for leaf in indexed_leaves(metadata)] == expected
    assert [find_column(metadata, (field.name,)).physical_path for field in (FIELD, NEW)] == expected
