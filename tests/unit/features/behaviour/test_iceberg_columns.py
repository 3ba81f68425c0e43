"""Which texts are constants, as Iceberg keeps defaults of columns."""

from __future__ import annotations

import pytest

from deltaresolver.features.behaviour.iceberg_columns import is_literal
from deltaresolver.model.schema import ArrayType, DataType, StructField, StructType

LITERALS: dict[str, tuple[str, ...]] = {
    "string": ("'a'", '"a"', "''"),
    "long": ("7", "-7", "7L", "7l"),
    "integer": ("7", "+7"),
    "short": ("7",),
    "byte": ("7",),
    "float": ("1.5", "1e3"),
    "double": ("1.5", "-2"),
    "decimal(10,2)": ("1.50", "2"),
    "boolean": ("true", "false", "rand() > 0"),
    "binary": ("x'00ff'", "X'00FF'", "abc", "_abc"),
    "date": ("'2026-01-01'",),
    "timestamp": ("'2026-01-01 00:00:00'",),
    "timestamp_ntz": ("'2026-01-01 00:00:00'",),
}
OTHERS: dict[str, tuple[str, ...]] = {
    "string": ("a", "upper('a')", "'a\"", "'"),
    "long": ("7.5", "1 + 1", "L", ""),
    "integer": ("7L", "1 + 1"),
    "short": ("7S",),
    "byte": ("7Y",),
    "float": ("rand()",),
    "double": ("1 + 1",),
    "decimal(10,2)": ("1 + 1",),
    "binary": ("x'0'", "X'zz'", "x00", "X"),
    "date": ("current_date()", "2026-01-01", "'someday'"),
    "timestamp": ("now()", "'once'"),
    "timestamp_ntz": ("now()",),
}
NESTED: tuple[DataType, ...] = (ArrayType("long"), StructType((StructField("a", "long"),)))


def judged(data_type: DataType, text: str) -> bool:
    return is_literal(text, StructField("c", data_type))


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in LITERALS.items() for text in texts])
def test_a_constant_of_the_type_is_a_literal(kind: str, text: str) -> None:
    assert judged(kind, text) is True


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in OTHERS.items() for text in texts])
def test_other_texts_are_not_constants_of_the_type(kind: str, text: str) -> None:
    assert judged(kind, text) is False


@pytest.mark.parametrize("text", sorted({text for texts in LITERALS.values() for text in texts}))
def test_types_without_constants_have_none(text: str) -> None:
    for data_type in (*NESTED, "variant", "void", "geometry(OGC:CRS84)"):
        assert judged(data_type, text) is False
