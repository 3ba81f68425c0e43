"""Arrow columns of files in Spark's legacy calendar, brought into today's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.model.schema import ArrayType, DataType, MapType, StructType, base_type
from deltaresolver.spark.parquet_calendar import (
    FIRST_EQUAL_MOMENT,
    FIRST_GREGORIAN_DAY,
    FileCalendar,
    gregorian_days,
    gregorian_micros,
)
from deltaresolver.spark.source.batch.conformed import mask_of, values_from_start

_INT96 = "INT96"


@attrs.frozen(slots=True)
class CalendarReading:
    """The calendar of one file and the paths of its leaves that hold moments of 96 bits."""

    calendar: FileCalendar
    int96: frozenset[str]

    @classmethod
    def of(cls, file: pq.ParquetFile, modes: Mapping[str, str]) -> CalendarReading | None:
        """None for a file in today's calendar."""
        calendar = FileCalendar.of(file.metadata.metadata, modes)
        if not calendar.datetimes and not calendar.int96:
            return None
        leaves = [file.schema.column(place) for place in range(len(file.schema))]
        return cls(calendar, frozenset(leaf.path for leaf in leaves if leaf.physical_type == _INT96))

    def gregorian(self, array: pa.Array, kind: DataType, name: str) -> pa.Array:
        """The column `name` of the file, of type `kind`. Raises `LookupError` for unknown rules of a zone."""
        has_int96 = any(path == name or path.startswith(f"{name}.") for path in self.int96)
        moments = self.calendar.int96 if has_int96 else self.calendar.datetimes
        return _converted(array, kind, _Wanted(self.calendar.datetimes, moments, self.calendar.zone))


@attrs.frozen(slots=True)
class _Wanted:
    days: bool
    moments: bool
    zone: str | None


def _converted(array: pa.Array, kind: DataType, wanted: _Wanted) -> pa.Array:
    if isinstance(kind, StructType):
        parts = [_converted(array.field(place), field.type, wanted) for place, field in enumerate(kind.fields)]
        fields = [array.type.field(place) for place in range(array.type.num_fields)]
        return pa.StructArray.from_arrays(parts, fields=fields, mask=mask_of(array))
    if isinstance(kind, ArrayType):
        whole = values_from_start(array)
        items = _converted(whole.values, kind.element_type, wanted)
        return pa.ListArray.from_arrays(whole.offsets, items, type=array.type, mask=mask_of(whole))
    if isinstance(kind, MapType):
        whole = values_from_start(array)
        keys, items = _converted(whole.keys, kind.key_type, wanted), _converted(whole.items, kind.value_type, wanted)
        return pa.MapArray.from_arrays(whole.offsets, keys, items, type=array.type, mask=mask_of(whole))
    base = base_type(kind) if isinstance(kind, str) else None
    if base == "date" and wanted.days:
        return _days(array)
    # Moments without a zone came after the legacy calendar.
    return _moments(array, wanted.zone) if base == "timestamp" and wanted.moments else array


def _days(array: pa.Array) -> pa.Array:
    days: Any = array.view(pa.int32()).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    if not len(days) or days.min() >= FIRST_GREGORIAN_DAY:
        return array
    return pa.array(gregorian_days(days).astype(np.int32), pa.int32(), mask=_nulls(array)).view(array.type)


def _moments(array: pa.Array, zone: str | None) -> pa.Array:
    micros: Any = array.view(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    if not len(micros) or micros.min() >= FIRST_EQUAL_MOMENT:
        return array
    return pa.array(gregorian_micros(micros, zone), pa.int64(), mask=_nulls(array)).view(array.type)


def _nulls(array: pa.Array) -> Any:
    return array.is_null().to_numpy(zero_copy_only=False)
