"""Which files a statement may take out without looking at them again: those whose every row it has found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from deltaresolver.errors import RowsUnaccountedError
from deltaresolver.model.actions import AddFile
from deltaresolver.spark.changes.live_records import live_records, physical_records
from deltaresolver.spark.writing.data_folder import WrittenFile
from deltaresolver.spark.writing.statistics.file_statistics import StatisticsShape
from deltaresolver.spark.writing.statistics.footers import FooterReading, read_statistics, record_count

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.log.storage.log_store import LogStore

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def whole_files(
    spark: SparkSession, store: LogStore, adds: Sequence[AddFile], found: Mapping[int, int]
) -> frozenset[int]:
    """The files, by number, of which `found` rows are all that live, by the log and by the files' own footers.

    numRecords is what some writer put into the log. Were it too low, rows that nobody has found would go with the file.
    A file outside of the table is never among them, as only Spark can read it.
    Raises `RowsUnaccountedError` where log and file differ, and `LogError` kinds.
    """
    told = [number for number, count in found.items() if count == live_records(adds[number])]
    inside = {number: path for number in told if (path := _path_inside(adds[number].path)) is not None}
    files = [WrittenFile(path, adds[number].size, 0) for number, path in inside.items()]
    counts = read_statistics(spark, FooterReading(store, StatisticsShape(())), files) if files else {}
    for number, path in inside.items():
        _ensure_counted(store.location, adds[number], record_count(counts[path]))
    return frozenset(inside)


def _path_inside(logged: str) -> str | None:
    path = unquote(logged).removeprefix("./")
    is_inside = _SCHEME.match(logged) is None and not path.startswith("/") and ".." not in path.split("/")
    return path if is_inside else None


def _ensure_counted(location: str, add: AddFile, rows: int) -> None:
    recorded = physical_records(add)
    if recorded != rows:
        raise RowsUnaccountedError(
            f"numRecords of {add.path} in the log of {location} is {recorded:,}, and the file has {rows:,} rows, "
            "so it was not removed and nothing was committed.",
            fix="Overwrite the table, or the file's partition, with its own rows, which counts them again.",
            details={"location": location, "path": add.path, "numRecords": recorded, "rows": rows},
        )
