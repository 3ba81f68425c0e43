"""What columns note of themselves: defaults for new rows, and how far identity columns have counted."""

from __future__ import annotations

import pytest

from deltaresolver.features import identity_columns
from deltaresolver.features.allow_column_defaults import AllowColumnDefaultsBehaviour
from deltaresolver.model.facts.columns import identity_mark
from deltaresolver.model.facts.keys import (
    COLUMN_DEFAULT,
    IDENTITY_ALLOWS_EXPLICIT,
    IDENTITY_HIGH_WATER_MARK,
    IDENTITY_START,
    IDENTITY_STEP,
)
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.transaction import operation as operations
from tests.metadata_by_hand import column, table
from tests.nasty import COLUMN_NAMES
from tests.transactions import Scene


@pytest.mark.parametrize("name", COLUMN_NAMES)
def test_a_column_with_a_default_has_an_expression_and_no_other_column_has(name: str) -> None:
    metadata = table(
        None, column("plain"), column("noted", metadata={"comment": "c"}), column(name, metadata={COLUMN_DEFAULT: "1"})
    )
    (found,) = AllowColumnDefaultsBehaviour().column_expressions(metadata)
    assert (found.column, found.sql) == (name, "1")


def test_a_default_is_refused_where_columns_are_declared_and_not_where_rows_are_written() -> None:
    """As in delta-spark, which looks at CREATE and ALTER alone."""
    scene = Scene()
    scene.create()
    transaction = scene.begin()
    schema = StructType((*transaction.metadata.schema.fields, column("d", metadata={COLUMN_DEFAULT: "1"})))
    transaction.update_metadata(transaction.metadata.with_schema(schema))
    assert transaction.commit([], operations.write("Overwrite")) == 1


@pytest.mark.parametrize(("step", "farther"), [(1, 9), (-1, 3)])
def test_a_column_counts_on_from_the_farther_of_two_marks(step: int, farther: int) -> None:
    def numbered(mark: int) -> StructField:
        noted = {IDENTITY_START: 1, IDENTITY_STEP: step, IDENTITY_ALLOWS_EXPLICIT: False}
        return StructField("n", "long", False, {**noted, IDENTITY_HIGH_WATER_MARK: mark})

    one, other = StructType((numbered(3), column("c"))), StructType((numbered(9),))
    for schema, beside in ((one, other), (StructType((numbered(9), column("c"))), StructType((numbered(3),)))):
        found = identity_columns.with_farthest_marks(schema, beside)
        assert [(field.name, field.type, field.nullable) for field in found.fields] == [
            (field.name, field.type, field.nullable) for field in schema.fields
        ]
        assert identity_mark(found.fields[0]) == farther
        assert found.fields[1] == schema.fields[1]
