"""Names in SET: taken as Spark takes them, blanks and all, and refused where Spark finds no name."""

from __future__ import annotations

import pytest

from deltaresolver.errors import AssignmentInvalidError
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.spark.changes.assignments import target_of

SCHEMA = StructType((StructField(" a", "long"), StructField("s", StructType((StructField("x.y", "long"),)))))


@pytest.mark.parametrize(
    ("text", "path"), [(" a", (" a",)), ("` A`", (" a",)), ("t.s.`x.y`", ("s", "x.y")), ("S", ("s",))]
)
def test_a_name_is_found_as_it_is_written(text: str, path: tuple[str, ...]) -> None:
    assert target_of(text, SCHEMA, "t") == path


@pytest.mark.parametrize(
    ("text", "path"),
    [("s.`x.y`", ("s", "x.y")), ("s.` a`", (" a",)), ("s.s.`x.y`", ("s", "x.y")), ("S", ("s",)), ("s.S", ("s",))],
)
def test_a_struct_may_be_called_as_the_table_is(text: str, path: tuple[str, ...]) -> None:
    assert target_of(text, SCHEMA, "s") == path


@pytest.mark.parametrize("text", ["a", " a ", "s..x", "s.", "`s", "s`x`", ""])
def test_a_name_of_no_column_is_refused(text: str) -> None:
    with pytest.raises(AssignmentInvalidError) as raised:
        target_of(text, SCHEMA, None)
    expected = (
        {"a", " a "} if raised.value.delta_condition == "DELTA_MISSING_SET_COLUMN" else {"s..x", "s.", "`s", "s`x`", ""}
    )
    assert text in expected
