"""Which partitions get rows, told without Spark: by their values as rows have them, however their texts are spelt."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import pyarrow as pa

from deltaresolver.model.actions import AddFile
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.schema import StructField
from deltaresolver.spark.source.batch.parquet_types import arrow_fields
from deltaresolver.spark.source.batch.typed_values import constant_array
from deltaresolver.spark.writing.replaced_rows import WrittenPartitions
from deltaresolver.transaction.transaction import OptimisticTransaction


class PartitionsByValue(WrittenPartitions):
    """Only partitions that get rows are replaced; texts without a zone are moments of `zone`."""

    def __init__(self, transaction: OptimisticTransaction, zone: str, *, data_change: bool) -> None:
        super().__init__(transaction, data_change=data_change)
        self._zone = zone
        self._known: dict[tuple[str, str | None], Hashable] = {}

    def _partitions(self, files: Sequence[AddFile]) -> Sequence[Hashable]:
        metadata = self._transaction.metadata
        names = {name.lower() for name in metadata.partition_columns}
        mode = mapping_mode(metadata)
        fields = tuple(field for field in metadata.schema.fields if field.name.lower() in names)
        targets = {
            physical_name(field, mode): (field, target.type)
            for field, target in zip(fields, arrow_fields(fields, "none"), strict=True)
        }
        return [
            tuple(self._value(file.partition_values, name, *target) for name, target in targets.items())
            for file in files
        ]

    def _value(self, values: Mapping[str, str | None], name: str, field: StructField, target: pa.DataType) -> Hashable:
        text = values.get(name)
        key = (name, text)
        if key not in self._known:
            found = constant_array(text, field.type, target, 1, self._zone)[0].as_py()
            # -0.0 is 0.0, and NaN is NaN.
            self._known[key] = repr(found + 0.0) if isinstance(found, float) else found
        return self._known[key]
