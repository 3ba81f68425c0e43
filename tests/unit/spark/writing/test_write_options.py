"""The options of a write are checked before any file is read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from deltaresolver.spark.writing.write_options import parse_write_options


@pytest.mark.parametrize(
    ("given", "expected"), [(None, ()), ((), ()), ("day", ("day",)), (["day", "a b"], ("day", "a b"))]
)
def test_partition_columns_are_given_in_any_usual_form(
    given: Sequence[str] | str | None, expected: tuple[str, ...]
) -> None:
    assert parse_write_options("append", given).partition_by == expected
