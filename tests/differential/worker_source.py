"""`format("deltaresolver")` called as PySpark's workers call it, without a JVM."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import pyarrow as pa

from tests.differential.kinds import spark_type
from tests.differential.program import Column, Rows
from tests.differential.values import Bag, arrow_table, as_tuples, conformed

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


@attrs.frozen
class WorkerSource:
    """The data source on the table at a path, for a session in a time zone."""

    path: str
    zone: str

    def write(self, rows: Rows, options: Mapping[str, str], *, overwrite: bool) -> None:
        """As Spark does: tasks, and a commit if none of them failed."""
        writer = self._source(options).writer(_schema(rows.columns), overwrite)
        table = arrow_table(rows)
        half = table.num_rows // 2 if rows.files > 1 else table.num_rows
        parts = [table.slice(0, half), table.slice(half)] if rows.files > 1 else [table]
        messages: list[Any] = [None] * len(parts)
        try:
            for place, part in enumerate(parts):
                messages[place] = writer.write(iter(part.combine_chunks().to_batches()))
            writer.commit(messages)
        except Exception:
            writer.abort(messages)
            raise

    def read(
        self, columns: Sequence[Column], options: Mapping[str, str] | None = None, filters: Sequence[Any] = ()
    ) -> Bag:
        """The rows, with these filters pushed down."""
        source = self._source(options or {})
        reader = source.reader(source.schema())
        if filters:
            reader.pushFilters(list(filters))
        batches = [batch for part in reader.partitions() for batch in reader.read(part)]
        if not batches:
            return Counter()
        return Counter(as_tuples(conformed(pa.Table.from_batches(batches), columns)))

    def _source(self, options: Mapping[str, str]) -> Any:
        from deltaresolver.spark.source.data_source import DeltaSource
        from deltaresolver.spark.source.settings import SourceSettings

        class Source(DeltaSource):
            settings = SourceSettings(time_zone=self.zone)

        return Source({"path": self.path, **options})


def _schema(columns: Sequence[Column]) -> StructType:
    from pyspark.sql.types import StructType

    found = StructType()
    for column in columns:
        found.add(column.name, spark_type(column.type))
    return found
