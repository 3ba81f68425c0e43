"""Bins of OPTIMIZE: only files of one partition together, never above the size, nothing twice."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.model.actions import AddFile, DeletionVector
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.maintenance.bins import GIBIBYTE, BinSizes, size_in_bytes

MARK = DeletionVector("u", "ab", 1, 1, 3)


def file(
    number: int, size: int, partition: str | None = "a", *, marked: bool = False, rows: int | None = 10
) -> AddFile:
    stats = None if rows is None else f'{{"numRecords":{rows}}}'
    return AddFile(f"f{number}", {"p": partition}, size, 1, stats=stats, deletion_vector=MARK if marked else None)


files = st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["a", "b", "", None]), st.booleans()), max_size=20).map(
    lambda found: [file(number, size, part, marked=marked) for number, (size, part, marked) in enumerate(found)]
)


@given(files, st.integers(1, 40), st.integers(1, 40))
def test_bins_hold_several_files_of_one_partition_and_fit(found: list[AddFile], max_size: int, min_size: int) -> None:
    bins = BinSizes(max_size, min_size).bins(found)
    named = Counter(each.path for group in bins for each in group)
    assert max(named.values(), default=1) == 1
    for group in bins:
        assert len(group) > 1
        assert len({each.partition_values["p"] or None for each in group}) == 1
        assert sum(each.size for each in group) <= max_size
        assert all(each.size < min_size or each.deletion_vector for each in group)
    # Two small files that were left alone would not fit together.
    for part in ("a", "b", None):
        left = (each for each in found if each.path not in named and (each.partition_values["p"] or None) == part)
        sizes = sorted(each.size for each in left if each.size < min_size)
        assert len(sizes) < 2 or sizes[0] + sizes[1] > max_size


def test_large_files_are_left_alone_unless_many_of_their_rows_are_deleted() -> None:
    sizes = BinSizes(100, 10)
    assert sizes.bins([file(1, 10), file(2, 11)]) == []
    assert len(sizes.bins([file(1, 10, marked=True), file(2, 3)])[0]) == 2
    assert sizes.bins([file(1, 10, marked=True, rows=1000), file(2, 3)]) == []
    assert len(sizes.bins([file(1, 10, marked=True, rows=None), file(2, 3)])[0]) == 2


def test_sizes_come_from_the_session_then_from_the_table() -> None:
    table = Metadata("t", configuration={"delta.targetFileSize": "100mb"})
    assert BinSizes.of(Metadata("t"), {}) == BinSizes(GIBIBYTE, GIBIBYTE, 0.05)
    assert BinSizes.of(table, {}) == BinSizes(100 << 20, 100 << 20, 0.05)
    session = {"spark.databricks.delta.optimize.maxFileSize": "5000"}
    assert BinSizes.of(table, session) == BinSizes(5000, 100 << 20, 0.05)


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5g", "many", "10 parsecs"])
def test_an_invalid_size_is_refused(text: str) -> None:
    with pytest.raises(PropertyInvalidError, match=r"delta\.targetFileSize"):
        size_in_bytes(text, "delta.targetFileSize")
