"""Streams on Spark that does not let a source limit its batches: each goes to the end of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import InputPartition

from deltaresolver.errors import SparkTooOldError
from deltaresolver.spark.source.older_spark import ReadAllAvailable
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import SourceOptions
from deltaresolver.spark.source.spark_abilities import LIMITED_BATCHES
from deltaresolver.spark.source.stream.options import StreamOptions
from deltaresolver.spark.source.stream.reader import StreamReader
from deltaresolver.spark.source.told_errors import told

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


class WholeBatchStreamReader(StreamReader):
    """Reads a table as a stream for Spark 4.0 and 4.1, which ask for an end without saying where the batch starts.

    After a restart they first ask for what lies between the last offset and itself.
    """

    def __init__(
        self, asked: SourceOptions, stream: StreamOptions, settings: SourceSettings, schema: StructType
    ) -> None:
        """Raises `SparkTooOldError` for limits.

        With the trigger availableNow, of which a source is not told, this Spark reads a single batch, and what is
        beyond a limit would never come.
        """
        super().__init__(asked, stream, settings, schema)
        if stream.limits:
            raise _too_old(stream.limits)
        self._seen: Mapping[str, Any] | None = None

    @told()
    def latestOffset(self) -> dict[str, Any]:  # type: ignore[override]
        """The end of the table. Raises as `StreamedTable.parts`."""
        if self._seen is None:
            self._seen = self.initialOffset()
        self._seen = super().latestOffset(self._seen, ReadAllAvailable())
        return dict(self._seen)

    @told()
    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> Sequence[InputPartition]:
        """The tasks of one batch."""
        self._seen = end
        return super().partitions(start, end)


def _too_old(limits: Sequence[str]) -> SparkTooOldError:
    from pyspark import __version__ as release

    names, needed = ", ".join(limits), LIMITED_BATCHES.release
    return SparkTooOldError(
        f"The stream asks for limited batches ({names}), and Spark {release} lets no data source limit them.",
        fix=f"Leave out {names}: a batch then goes to the end of the table. Or use Spark {needed} or newer.",
        details={"options": list(limits), "spark": release, "needs": needed},
    )
