"""The partitions that a table's files are in, and the files of some of them."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
import pyarrow as pa

from deltaresolver.expressions.predicates import Predicate
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.pruning.prune import prune
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.large.large_log import LargeLog

Items = tuple[tuple[str, str | None], ...]
"""The partition values of a file, in the order in which the log has them."""


@attrs.frozen(slots=True, eq=False)
class Partitions:
    """One file of each partition, and of every file the number of its partition."""

    examples: pa.Table
    _files: pa.Table
    _numbers: np.ndarray[tuple[int], np.dtype[np.int64]]

    @classmethod
    def of(cls, files: pa.Table) -> Partitions:
        """Of files as a snapshot lists them."""
        known: dict[Items, int] = {}
        firsts: list[int] = []
        numbers: list[int] = []
        for place, items in enumerate(_items_of(files)):
            number = known.setdefault(items, len(known))
            if number == len(firsts):
                firsts.append(place)
            numbers.append(number)
        return cls(files.take(pa.array(firsts, pa.int64())), files, np.array(numbers, np.int64))

    def values(self) -> Sequence[dict[str, str | None]]:
        """The partition values, as the log has them."""
        return [dict(items) for items in _items_of(self.examples)]

    def all_files(self) -> pa.Table:
        """The files of all partitions."""
        return self._files

    def files_of(self, chosen: Sequence[bool]) -> pa.Table:
        """The files of those partitions for which this is true; one entry each, in the order of `examples`."""
        return self._files.filter(pa.array(np.array(chosen, np.bool_)[self._numbers]))


@attrs.frozen(slots=True, eq=False)
class LargePartitions(Partitions):
    """The same of a log that Spark replays: once for the partitions, and once for the files of those chosen."""

    _large: LargeLog
    _predicate: Predicate | None

    @classmethod
    def on_spark(cls, large: LargeLog, predicate: Predicate | None, *, are_asked: bool) -> LargePartitions | None:
        """Of the files that `predicate` leaves; None where Spark cannot tell. Nobody looks unless they are asked."""
        nothing = ADD_FILES.empty_table()
        examples = nothing
        if are_asked:
            found = large.one_of_each_partition(_Choice(large.snapshot.metadata, predicate, None))
            if found is None:
                return None
            examples = found
        return cls(examples, nothing, np.zeros(0, np.int64), large, predicate)

    def all_files(self) -> pa.Table:
        """The files that the predicate leaves."""
        if self._predicate is None:
            return self._large.snapshot.files()
        return self._large.chosen(_Choice(self._large.snapshot.metadata, self._predicate, None))

    def files_of(self, chosen: Sequence[bool]) -> pa.Table:
        """As above."""
        wanted = [items for items, is_one in zip(_items_of(self.examples), chosen, strict=True) if is_one]
        if not wanted:
            return self._files
        return self._large.chosen(_Choice(self._large.snapshot.metadata, self._predicate, frozenset(wanted)))


@attrs.frozen(slots=True, eq=False)
class _Choice:
    """Leaves the files that statistics leave in some partitions, or in all. It can be sent to another process."""

    metadata: Metadata
    predicate: Predicate | None
    partitions: frozenset[Items] | None

    def __call__(self, files: pa.Table) -> pa.Table:
        if self.predicate is not None:
            files = prune(files, self.metadata, self.predicate)
        if self.partitions is None:
            return files
        return files.filter(pa.array([items in self.partitions for items in _items_of(files)], pa.bool_()))


def _items_of(files: pa.Table) -> list[Items]:
    return [tuple(items or ()) for items in files.column("partitionValues").to_pylist()]
