"""Which files may hold a row that a predicate is true for, by their partition values and statistics.

A file is dropped only when no row in it can match. Two questions are asked of every part of the predicate:
may it be true for some row, and may it be false for some row? A negation swaps them, so three-valued logic
holds without a third answer: a row for which a part is unknown makes neither true.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.expressions.predicates import (
    And,
    Compare,
    Comparison,
    IsIn,
    IsNull,
    Negation,
    Or,
    Predicate,
    StartsWith,
)
from deltaresolver.expressions.stored_column import StoredColumn, find_column, kind_of
from deltaresolver.expressions.stored_values import WHOLE, literal_for
from deltaresolver.log.pruning.file_bounds import ColumnBounds, Mask, partition_bounds, statistics_bounds
from deltaresolver.log.pruning.parsed_stats import parse_stats
from deltaresolver.model.metadata import Metadata

Path = tuple[str, ...]


@attrs.frozen(slots=True, eq=False)
class _Verdict:
    """For every file: may the predicate be true for a row of it, may it be false for one."""

    may_be_true: Mask
    may_be_false: Mask


def prune(files: pa.Table, metadata: Metadata, predicate: Predicate) -> pa.Table:
    """The rows of `files` (`partitionValues`, and `stats` if it is there) that may hold a match, in order.

    A value of another type than the column's is not judged: the files it might be in are kept.
    Raises `UnknownColumnError`.
    """
    columns = {path: find_column(metadata, path) for path in _paths_in(predicate)}
    masks = [_may_match(batch, columns, predicate) for batch in files.to_batches()]
    return files.filter(pa.array(np.concatenate(masks))) if masks else files


def _paths_in(predicate: Predicate) -> Iterator[Path]:
    if isinstance(predicate, (And, Or)):
        for part in predicate.parts:
            yield from _paths_in(part)
    elif isinstance(predicate, Negation):
        yield from _paths_in(predicate.part)
    elif isinstance(predicate, (Compare, IsIn, IsNull, StartsWith)):
        yield predicate.path


def _may_match(batch: pa.RecordBatch, columns: Mapping[Path, StoredColumn], predicate: Predicate) -> Mask:
    data = [column for column in columns.values() if not column.is_partition]
    stats = batch.column("stats") if "stats" in batch.schema.names else pa.nulls(batch.num_rows, pa.string())
    parsed = parse_stats(stats, data)
    bounds = {
        path: partition_bounds(column, batch.column("partitionValues"))
        if column.is_partition
        else statistics_bounds(column, parsed)
        for path, column in columns.items()
    }
    return _Judge(columns, bounds, batch.num_rows).judge(predicate).may_be_true


@attrs.frozen(slots=True, eq=False)
class _Judge:
    columns: Mapping[Path, StoredColumn]
    bounds: Mapping[Path, ColumnBounds]
    rows: int

    def judge(self, predicate: Predicate) -> _Verdict:
        match predicate:
            case And(parts):
                return self._all([self.judge(part) for part in parts])
            case Or(parts):
                return _opposite(self._all([_opposite(self.judge(part)) for part in parts]))
            case Negation(part):
                return _opposite(self.judge(part))
            case IsNull(path):
                return _Verdict(self.bounds[path].may_hold_null, self.bounds[path].may_hold_value)
            case IsIn(path, values):
                equals = [self._compare(path, Comparison.EQUAL, value) for value in values]
                return _opposite(self._all([_opposite(verdict) for verdict in equals]))
            case StartsWith(path, prefix):
                return self._starts_with(path, prefix)
            case Compare(path, comparison, value):
                return self._compare(path, comparison, value)
        raise TypeError(f"{type(predicate).__name__} is not a predicate of deltaresolver.log.predicates.")

    def _all(self, verdicts: list[_Verdict]) -> _Verdict:
        everywhere, nowhere = np.ones(self.rows, np.bool_), np.zeros(self.rows, np.bool_)
        return _Verdict(
            reduce(np.logical_and, [verdict.may_be_true for verdict in verdicts], everywhere),
            reduce(np.logical_or, [verdict.may_be_false for verdict in verdicts], nowhere),
        )

    def _compare(self, path: Path, comparison: Comparison, value: Any) -> _Verdict:
        bounds = self.bounds[path]
        never = np.zeros(self.rows, np.bool_)
        if comparison is Comparison.NULL_SAFE_EQUAL:
            if value is None:
                return _Verdict(bounds.may_hold_null, bounds.may_hold_value)
            equal = self._compare(path, Comparison.EQUAL, value)
            return _Verdict(equal.may_be_true, equal.may_be_false | bounds.may_hold_null)
        if value is None:
            return _Verdict(never, never)
        if comparison is Comparison.NOT_EQUAL:
            return _opposite(self._compare(path, Comparison.EQUAL, value))
        if comparison is Comparison.GREATER:
            return _opposite(self._compare(path, Comparison.LESS_OR_EQUAL, value))
        if comparison is Comparison.GREATER_OR_EQUAL:
            return _opposite(self._compare(path, Comparison.LESS, value))
        literal = literal_for(self.columns[path], value)
        if literal is None:
            return _Verdict(bounds.may_hold_value, bounds.may_hold_value)
        found = _judge_ordered(_Range(self.columns[path], bounds), comparison, literal)
        return _Verdict(found.may_be_true & bounds.may_hold_value, found.may_be_false & bounds.may_hold_value)

    def _starts_with(self, path: Path, prefix: str) -> _Verdict:
        bounds = self.bounds[path]
        if kind_of(self.columns[path]) != "string" or bounds.low is None or bounds.high is None:
            return _Verdict(bounds.may_hold_value, bounds.may_hold_value)
        places = _Range(self.columns[path], bounds)
        low_has = _known(pc.starts_with(bounds.low, prefix))
        high_has = _known(pc.starts_with(bounds.high, prefix))
        may_be_true = (places.low_is("less_equal", prefix) | low_has) & places.high_reaches(prefix)
        return _Verdict(may_be_true & bounds.may_hold_value, ~(low_has & high_has) & bounds.may_hold_value)


def _opposite(verdict: _Verdict) -> _Verdict:
    return _Verdict(verdict.may_be_false, verdict.may_be_true)


def _judge_ordered(places: _Range, comparison: Comparison, literal: Any) -> _Verdict:
    """Equal, less, or less or equal; every other comparison is one of these turned round."""
    if comparison is Comparison.EQUAL:
        may_be_true = places.low_is("less_equal", literal) & places.high_reaches(literal)
        return _Verdict(may_be_true, ~places.holds_only(literal))
    if comparison is Comparison.LESS:
        return _Verdict(places.low_is("less", literal), places.high_reaches(literal))
    return _Verdict(places.low_is("less_equal", literal), places.high_exceeds(literal))


@attrs.frozen(slots=True, eq=False)
class _Range:
    """The bounds of one column, asked with "may": an unknown bound allows everything."""

    column: StoredColumn
    bounds: ColumnBounds

    def low_is(self, comparison: str, literal: Any) -> Mask:
        """Whether some value may be less than (or equal to) the literal."""
        return self._compare(comparison, self.bounds.low, literal)

    def high_reaches(self, literal: Any) -> Mask:
        """Whether some value may be the literal or greater."""
        reached = self._compare("greater_equal", self.bounds.high, literal)
        return reached | self._may_be_cut(literal)

    def high_exceeds(self, literal: Any) -> Mask:
        """Whether some value may be greater than the literal."""
        exceeded = self._compare("greater", self.bounds.high, literal)
        return exceeded | self._may_be_cut(literal)

    def holds_only(self, literal: Any) -> Mask:
        """Whether every value is the literal, as far as bounds can tell."""
        low, high = self.bounds.low, self.bounds.high
        if low is None or high is None or (pa.types.is_string(low.type) and not self.bounds.is_exact):
            return np.zeros(self._length(), np.bool_)
        scalar = _scalar(literal, low.type)
        if scalar is None:
            return np.zeros(self._length(), np.bool_)
        return _known(pc.and_(pc.equal(low, scalar), pc.equal(high, scalar)))

    def _compare(self, comparison: str, bound: pa.Array | None, literal: Any) -> Mask:
        if bound is None:
            return np.ones(self._length(), np.bool_)
        if kind_of(self.column) in WHOLE and not isinstance(literal, int):
            comparison, literal = _among_whole(comparison, literal)
        scalar = _scalar(literal, bound.type)
        if scalar is None:
            return np.ones(self._length(), np.bool_)
        answer = pc.fill_null(getattr(pc, comparison)(bound, scalar), True)
        mask: Mask = answer.to_numpy(zero_copy_only=False)
        return mask

    def _may_be_cut(self, literal: Any) -> Mask:
        """Whether the upper bound may be a mere beginning of a longer string that reaches the literal."""
        high = self.bounds.high
        if high is None or self.bounds.is_exact or not pa.types.is_string(high.type):
            return np.zeros(self._length(), np.bool_)
        lengths = pc.utf8_length(high)
        starts = [literal[:size] for size in range(len(literal) + 1)]
        longest = pc.if_else(pc.less_equal(lengths, len(literal)), lengths, 0)
        beginning = pa.array(starts).take(longest)
        return _known(pc.and_(pc.equal(high, beginning), pc.less_equal(lengths, len(literal))))

    def _length(self) -> int:
        return len(self.bounds.may_hold_value)


def _among_whole(comparison: str, literal: Any) -> tuple[str, int]:
    """The same question about whole numbers, asked with a whole number."""
    below = math.floor(literal)
    if below == literal:
        return comparison, below
    return ("less_equal", below) if comparison.startswith("less") else ("greater", below)


def _scalar(literal: Any, kind: pa.DataType) -> pa.Scalar | None:
    """The literal as an Arrow value that compares exactly, or None where there is none."""
    try:
        if pa.types.is_integer(kind) and not isinstance(literal, int):
            return None
        return pa.scalar(literal, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return None


def _known(answer: pa.Array) -> Mask:
    known: Mask = pc.fill_null(answer, False).to_numpy(zero_copy_only=False)
    return known
