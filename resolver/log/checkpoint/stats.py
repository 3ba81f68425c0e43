"""Statistics and partition values as typed columns: what a checkpoint keeps beside, or instead of, their text."""

from __future__ import annotations

import datetime
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.checkpoint.typed_text import stored_as, typed
from deltaresolver.log.columnar.fast.arrow_numpy import flags_of, from_numbers, numbers_of, one_text
from deltaresolver.log.columnar.from_values import from_values
from deltaresolver.log.columnar.json_objects import read_texts

_EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
_decoder = msgspec.json.Decoder()


def parse_stats(texts: pa.StringArray, wanted: pa.StructType) -> pa.StructArray:
    """The JSON texts as `wanted`, null where there is no text. A statistic that does not fit its type is null.

    Nothing is raised: a text that is not a JSON object counts as no statistics.
    """
    if texts.null_count == len(texts):
        return pa.nulls(len(texts), wanted)
    parsed = read_texts(texts, pa.schema([pa.field(field.name, _reader_type(field.type)) for field in wanted]))
    if parsed is None:
        rows = [_decode_one(text, wanted) for text in texts.to_pylist()]
        return pa.array(rows, wanted)
    mask = texts.is_null() if texts.null_count else None
    children = [_shape(parsed.column(field.name).combine_chunks(), field.type) for field in wanted]
    return pa.StructArray.from_arrays(children, fields=list(wanted), mask=mask)


def parse_partition_values(maps: pa.MapArray, wanted: pa.StructType) -> pa.StructArray:
    """The values of each partition column as its own type; null where missing, empty or not of that type."""
    offsets, keys, items = numbers_of(maps.offsets), maps.keys, maps.items
    children = []
    for field in wanted:
        places = np.flatnonzero(flags_of(pc.equal(keys, one_text(field.name))))
        places = places[(places >= offsets[0]) & (places < offsets[-1])]
        source = np.full(len(maps), -1, np.int64)
        source[np.searchsorted(offsets, places, side="right") - 1] = places
        texts = items.take(from_numbers(source, source >= 0))
        children.append(_convert_distinct(texts, field.type))
    return pa.StructArray.from_arrays(children, fields=list(wanted))


def _reader_type(wanted: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(wanted):
        return pa.struct([pa.field(field.name, _reader_type(field.type)) for field in wanted])
    if pa.types.is_integer(wanted):
        return pa.int64()
    if pa.types.is_floating(wanted):
        return pa.float64()
    return wanted if pa.types.is_boolean(wanted) or pa.types.is_decimal(wanted) else pa.string()


def _shape(parsed: pa.Array, wanted: pa.DataType) -> pa.Array:
    if parsed.type.equals(wanted):
        return parsed
    if not pa.types.is_struct(wanted):
        return typed(parsed, wanted)
    children = [_shape(parsed.field(index), field.type) for index, field in enumerate(wanted)]
    mask = parsed.is_null() if parsed.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(wanted), mask=mask)


def _decode_one(text: str | None, wanted: pa.StructType) -> Any:
    if text is None:
        return None
    try:
        value = _decoder.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return _fit(value, wanted)


def _fit(value: Any, wanted: pa.DataType) -> Any:
    if not pa.types.is_struct(wanted):
        return stored_as(wanted, value)
    if not isinstance(value, dict):
        return None
    return {field.name: _fit(value.get(field.name), field.type) for field in wanted}


def _convert_distinct(texts: pa.StringArray, wanted: pa.DataType) -> pa.Array:
    """Partition values repeat, so every spelling is converted once."""
    coded = texts.dictionary_encode()
    values = [stored_as(wanted, text) if text else None for text in coded.dictionary.to_pylist()]
    return _as_array(values, wanted).take(coded.indices)


def _as_array(values: list[Any], wanted: pa.DataType) -> pa.Array:
    # The usual types of partition columns are spared pyarrow's own conversion, which imports pandas.
    if pa.types.is_date32(wanted):
        days = [None if value is None else value.toordinal() - _EPOCH_DAY for value in values]
        return from_values(days, pa.int32()).cast(wanted)
    if wanted in (pa.string(), pa.int32(), pa.int64(), pa.bool_()):
        return from_values(values, wanted)
    return pa.array(values, wanted)
