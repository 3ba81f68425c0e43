"""How many files a version has, how large they are, and what their deletion vectors take away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.fast.arrow_numpy import numbers_or_zero
from deltaresolver.log.pruning.counted_files import count_files
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.actions import AddFile, DeletionVector, RemoveFile

Numbers = npt.NDArray[np.int64]

_MB = 1 << 20
SIZE_BINS: tuple[int, ...] = (
    0,
    *((8 << power) * 1024 for power in range(9)),
    *(number * _MB for number in range(4, 40, 4)),
    *(number * _MB for number in range(40, 120, 8)),
    *(number * _MB for number in range(120, 144, 4)),
    *(number * _MB for number in range(144, 576, 16)),
    *(number * _MB for number in range(576, 1408, 64)),
    *(number * _MB for number in range(1408, 2048, 128)),
    *(number * _MB for number in range(2048, 4096, 256)),
    *(number * 1024 * _MB for number in (4, 8, 16, 32, 64, 128, 256)),
)
"""Where each bin of file sizes begins."""

_DELETED_BINS = np.array([0, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 2**31 - 1], np.int64)
"""Where each bin of deleted records begins, as the specification fixes them."""


@attrs.frozen(slots=True, eq=False)
class FileTotals:
    """Totals over live files; those of a commit may be negative."""

    file_count: int
    total_bytes: int
    bin_counts: Numbers
    bin_bytes: Numbers
    vector_count: int
    deleted_records: int
    deleted_counts: Numbers

    def __add__(self, other: FileTotals) -> FileTotals:
        return FileTotals(*(getattr(self, name) + getattr(other, name) for name in _NAMES))

    def __sub__(self, other: FileTotals) -> FileTotals:
        return FileTotals(*(getattr(self, name) - getattr(other, name) for name in _NAMES))

    @property
    def is_possible(self) -> bool:
        """Whether no total is negative, as it can be where a difference was taken wrongly."""
        return all(bool(np.all(np.asarray(getattr(self, name)) >= 0)) for name in _NAMES)

    def to_json(self, *, with_vectors: bool) -> dict[str, Any]:
        """The totals as a version checksum has them."""
        value: dict[str, Any] = {
            "tableSizeBytes": self.total_bytes,
            "numFiles": self.file_count,
            "fileSizeHistogram": {
                "sortedBinBoundaries": list(SIZE_BINS),
                "fileCounts": self.bin_counts.tolist(),
                "totalBytes": self.bin_bytes.tolist(),
            },
        }
        if with_vectors:
            value["numDeletedRecordsOpt"] = self.deleted_records
            value["numDeletionVectorsOpt"] = self.vector_count
            value["deletedRecordCountsHistogramOpt"] = {"deletedRecordCounts": self.deleted_counts.tolist()}
        return value


_NAMES = tuple(field.name for field in attrs.fields(FileTotals))


def totals_of_table(files: pa.Table) -> FileTotals:
    """The totals over live files shaped `arrow_schema.ADD_FILES`; only sizes and deletion vectors are looked at."""
    vectors = files.column("deletionVector").combine_chunks()
    deleted = numbers_or_zero(pc.struct_field(vectors, "cardinality"))
    sizes = numbers_or_zero(files.column("size").combine_chunks())
    return _totals(sizes, deleted, len(vectors) - vectors.null_count)


def totals_of_version(snapshot: Snapshot) -> FileTotals:
    """The totals over the live files of a version, of a large log part by part. Raises as `Snapshot.files`."""
    return reduce(FileTotals.__add__, count_files(snapshot, totals_of_table))


def totals_of_actions(files: Iterable[AddFile | RemoveFile]) -> FileTotals:
    """The totals over the files that these actions add or remove."""
    chosen = list(files)
    vectors = [file.deletion_vector for file in chosen]
    sizes = np.array([file.size or 0 for file in chosen], np.int64)
    return _totals(sizes, np.array([_cardinality(each) for each in vectors], np.int64), sum(map(bool, vectors)))


def _cardinality(vector: DeletionVector | None) -> int:
    return 0 if vector is None else vector.cardinality


def _totals(sizes: Numbers, deleted: Numbers, vector_count: int) -> FileTotals:
    # A log may state sizes and counts below zero: they count where the smallest do.
    size_bins = np.maximum(np.searchsorted(np.array(SIZE_BINS), sizes, side="right") - 1, 0)
    count = len(SIZE_BINS)
    bin_bytes = np.zeros(count, np.int64)
    np.add.at(bin_bytes, size_bins, sizes)
    deleted_bins = np.maximum(np.searchsorted(_DELETED_BINS, deleted, side="right") - 1, 0)
    return FileTotals(
        file_count=len(sizes),
        total_bytes=int(sizes.sum()),
        bin_counts=np.bincount(size_bins, minlength=count),
        bin_bytes=bin_bytes,
        vector_count=vector_count,
        deleted_records=int(deleted.sum()),
        deleted_counts=np.bincount(deleted_bins, minlength=len(_DELETED_BINS)),
    )


def find_totals(value: Mapping[str, Any], *, with_vectors: bool) -> FileTotals | None:
    """The totals of an earlier version checksum; None where it lacks some, or counts by other bins."""
    histogram = value.get("fileSizeHistogram") or value.get("histogramOpt")
    try:
        if list(histogram["sortedBinBoundaries"]) != list(SIZE_BINS):  # type: ignore[index]
            return None
        nothing = [0] * len(_DELETED_BINS)
        return FileTotals(
            file_count=int(value["numFiles"]),
            total_bytes=int(value["tableSizeBytes"]),
            bin_counts=np.array(histogram["fileCounts"], np.int64),  # type: ignore[index]
            bin_bytes=np.array(histogram["totalBytes"], np.int64),  # type: ignore[index]
            vector_count=int(value["numDeletionVectorsOpt"]) if with_vectors else 0,
            deleted_records=int(value["numDeletedRecordsOpt"]) if with_vectors else 0,
            deleted_counts=np.array(
                value["deletedRecordCountsHistogramOpt"]["deletedRecordCounts"] if with_vectors else nothing, np.int64
            ),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
