"""Changing types part by part gives what changing them in full gives."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from hypothesis import given

from deltaresolver.defaults import built_in_catalog
from deltaresolver.model.facts.nested_types import (
    both_parts,
    parts,
    types_in,
    with_both_parts,
    with_named_part,
    with_parts,
)
from deltaresolver.model.schema import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    UserDefinedType,
    parse_schema,
)
from deltaresolver.testing.strategies import schemas

SCHEMAS = schemas(built_in_catalog())


def spelt_out(data_type: DataType) -> Iterator[DataType]:
    yield data_type
    if isinstance(data_type, StructType):
        for field in data_type.fields:
            yield from spelt_out(field.type)
    elif isinstance(data_type, ArrayType):
        yield from spelt_out(data_type.element_type)
    elif isinstance(data_type, MapType):
        yield from spelt_out(data_type.key_type)
        yield from spelt_out(data_type.value_type)


def renamed(data_type: DataType) -> DataType:
    return with_parts(data_type, renamed, renamed_field)


def renamed_field(field: StructField) -> StructField:
    return msgspec.structs.replace(field, name=f"{field.name}!", type=renamed(field.type))


@given(SCHEMAS)
def test_every_type_is_met_once_in_the_order_of_reading(text: str) -> None:
    schema = parse_schema(text)
    assert list(types_in(schema)) == list(spelt_out(schema))


@given(SCHEMAS)
def test_parts_that_stay_leave_the_type_as_it_is(text: str) -> None:
    for data_type in types_in(parse_schema(text)):
        assert with_parts(data_type, lambda part: part) == data_type
        assert with_both_parts(data_type, data_type, lambda _, one, other: other) in (data_type, None)


def fields_in(schema: DataType) -> list[StructField]:
    return [field for kind in types_in(schema) if isinstance(kind, StructType) for field in kind.fields]


@given(SCHEMAS)
def test_a_change_reaches_every_field_and_nothing_else(text: str) -> None:
    schema = parse_schema(text)
    before, after = fields_in(schema), fields_in(renamed(schema))
    assert [field.name for field in after] == [f"{field.name}!" for field in before]
    assert [(field.nullable, field.metadata) for field in after] == [
        (field.nullable, field.metadata) for field in before
    ]
    assert len(list(types_in(renamed(schema)))) == len(list(types_in(schema)))


@given(SCHEMAS)
def test_the_part_of_a_name_is_changed_alone(text: str) -> None:
    for data_type in types_in(parse_schema(text)):
        for name, _ in parts(data_type):
            changed = parts(with_named_part(data_type, name.upper(), lambda _: "changed"))
            differing = [
                one.lower()
                for (one, before), (_, after) in zip(parts(data_type), changed, strict=True)
                if before != after
            ]
            assert set(differing) <= {name.lower()}
            assert [one for one, part in changed if part == "changed"]
        assert with_named_part(data_type, "no part is called so", lambda _: "changed") == data_type


def test_two_types_have_parts_side_by_side_where_they_are_of_one_kind() -> None:
    array, other = ArrayType("long"), MapType("string", array_of_text := ArrayType("string"))
    assert both_parts(array, array_of_text) == (("element", "long", "string"),)
    assert both_parts(other, other) == (("key", "string", "string"), ("value", array_of_text, array_of_text))
    struct = StructType(())
    others: list[tuple[DataType, DataType]] = [
        (array, other),
        (other, array),
        (struct, struct),
        ("long", "long"),
        (array, "long"),
    ]
    for one, another in others:
        assert both_parts(one, another) == ()
        assert with_both_parts(one, another, lambda _, __, part: part) is None


def test_a_type_of_a_user_has_no_parts() -> None:
    given_type = UserDefinedType(sql_type=ArrayType("long"))
    assert parts(given_type) == ()
    assert with_parts(given_type, lambda _: "changed") is given_type
