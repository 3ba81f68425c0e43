"""Values as statistics have them, in the type of their column."""

from __future__ import annotations

import pytest

from deltaresolver.expressions.stored_column import StoredColumn
from deltaresolver.expressions.stored_values import WHOLE, arrow_type, stored_value
from tests import nasty


def column(kind: str) -> StoredColumn:
    return StoredColumn(("c",), kind, is_partition=False)


@pytest.mark.parametrize("kind", sorted(WHOLE))
@pytest.mark.parametrize("bound", [-(2**63), 2**63 - 1])
def test_a_whole_number_of_more_than_64_bits_is_not_taken_for_a_statistic(kind: str, bound: int) -> None:
    beyond = bound + (1 if bound > 0 else -1)
    assert stored_value(column(kind), bound) == bound
    assert stored_value(column(kind), beyond) is None


@pytest.mark.parametrize("text", nasty.BYTES)
def test_bytes_have_no_order_that_statistics_know(text: str) -> None:
    assert arrow_type(column("binary")) is None
    assert stored_value(column("binary"), text) is None
