"""Rows by numbers that are theirs for ever: row ids, and identity columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import pyarrow as pa

from tests.differential.expected import Expected, WrongError
from tests.differential.values import Bag, as_tuples, counted


@attrs.define
class Numbered:
    """The rows of one table; `kind` names what their numbers are."""

    kind: str
    rows: dict[int, tuple[Any, ...]] = attrs.Factory(dict)
    """By number, as of the last version."""
    all: set[int] = attrs.Factory(set)

    def ensure_kept(self, numbers: Sequence[Any], table: pa.Table, expected: Expected) -> None:
        """Numbers are unique; rows keep theirs, and new rows have some that none had before. Raises `WrongError`."""
        if None in numbers or len(set(numbers)) != len(numbers):
            raise WrongError(self.kind, f"they are not unique: {sorted(numbers, key=str)}")
        now = dict(zip(numbers, as_tuples(table), strict=True))
        before, seen = self.rows, set(self.all)
        self.rows, self.all = now, self.all | now.keys()
        if expected.restores:
            return
        fresh = now.keys() - before.keys()
        if fresh & seen:
            raise WrongError(self.kind, f"{sorted(fresh & seen)} belonged to rows that are gone")
        if expected.changes is None:
            return
        if len(fresh) != expected.new_ids:
            raise WrongError(self.kind, f"{len(fresh)} are new, and {expected.new_ids} rows are")
        self._ensure_same(before, counted(expected.kept))

    def _ensure_same(self, before: Mapping[int, tuple[Any, ...]], kept: Bag) -> None:
        """Rows that nobody touched, and that have no double, have the numbers they had."""
        was, now = _single(before), _single(self.rows)
        for row in kept:
            if row in was and row in now and was[row] != now[row]:
                raise WrongError(self.kind, f"{row} had {was[row]}, and has {now[row]}")


def _single(rows: Mapping[int, tuple[Any, ...]]) -> dict[tuple[Any, ...], int]:
    """Numbers of rows that are there once."""
    found: dict[tuple[Any, ...], int | None] = {}
    for number, row in rows.items():
        found[row] = None if row in found else number
    return {row: number for row, number in found.items() if number is not None}
