"""Run a task over many locations on Spark's executors, each call taking a batch; results stream back to the driver.

Knows nothing of audits: a task is any picklable function from locations to bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs
import pyarrow as pa

from deltaresolver.errors import CatalogUnreadableError
from deltaresolver.spark.catalog_tables import TableInCatalog, tables_in_catalog
from deltaresolver.spark.start import start_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Task = Callable[[Sequence[str]], bytes]
_RESULT = "number long, result binary"


def session(settings: Mapping[str, str] | None = None) -> SparkSession:
    """The session there is, or a new one as the environment and `settings` configure it.

    Raises as `start_session`, and `CatalogUnreadableError` if the session there is was started with other settings:
    it would list another catalog.
    """
    spark = start_session(settings=settings)
    for key, value in (settings or {}).items():
        ensure_started_with(spark, key, value)
    return spark


def ensure_started_with(spark: SparkSession, key: str, value: str) -> None:
    """Raises `CatalogUnreadableError` if a session has another value of a setting that only its start can give it."""
    own = getattr(spark, "_sc", None)
    found = spark.conf.get(key, None) if own is None else own.getConf().get(key)
    if found != value:
        raise CatalogUnreadableError(
            f"The Spark session that runs already has {found!r} for {key}, and not {value!r}.",
            fix="Audit in a process that has no session yet, or start the session with this setting.",
            details={"setting": key, "expected": value, "found": found},
        )


@attrs.frozen(slots=True)
class SparkRunner:
    """Batches on Spark. `batches_at_once` bounds what the driver sends, and so what it holds, at a time."""

    spark: SparkSession
    batches_at_once: int = 256

    def tables_in_catalog(self, catalog: str | None, namespace: str | None = None) -> Iterator[TableInCatalog]:
        """A catalog's tables, all or those of one namespace; None is the session's current catalog."""
        return tables_in_catalog(self.spark, catalog, namespace)

    def run(self, task: Task, batches: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, bytes]]:
        """Each batch's number and result, as they come."""
        rest = iter(batches)
        while wave := list(islice(rest, self.batches_at_once)):
            frame = self.spark.createDataFrame(wave, "number long, locations array<string>")
            # A partition a batch: one task handles many tables, and a slow one holds up no other.
            results = frame.repartition(len(wave)).mapInArrow(_OnExecutor(task), _RESULT)
            for row in results.toLocalIterator(prefetchPartitions=True):
                yield int(row["number"]), bytes(row["result"])


@attrs.frozen(slots=True)
class _OnExecutor:
    """What an executor is sent."""

    task: Task

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in parts:
            for row in part.to_pylist():
                yield self._result(row)

    def _result(self, row: dict[str, Any]) -> pa.RecordBatch:
        schema = pa.schema([("number", pa.int64()), ("result", pa.binary())])
        return pa.RecordBatch.from_pylist(
            [{"number": row["number"], "result": self.task(row["locations"])}], schema=schema
        )
