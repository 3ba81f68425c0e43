"""Slots of many lines as Arrow columns: texts unescaped, numbers and flags converted, maps and structs put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.column_pool import column_pool
from deltaresolver.log.columnar.fast.arrow_numpy import from_flags, from_numbers, from_texts, nulls_of
from deltaresolver.log.columnar.fast.block_text import BlockText, Places
from deltaresolver.log.columnar.fast.line_shape import FieldPath, LineShape, SlotKind
from deltaresolver.log.columnar.fast.string_spans import spans_of, without_backslashes

_SAFE_INT32_DIGITS = 9
_KINDS = {pa.string(): SlotKind.TEXT, pa.int64(): SlotKind.WHOLE, pa.bool_(): SlotKind.FLAG}
Spans = Sequence[tuple[Places, Places]]


def can_build(shape: LineShape, spans: Spans, path: FieldPath, fields: Sequence[pa.Field]) -> bool:
    """Whether the object at `path` can be built with these fields: every slot holds a value of its field's type."""
    return all(_fits(shape, spans, (*path, field.name), field.type) for field in fields)


def _fits(shape: LineShape, spans: Spans, path: FieldPath, kind: pa.DataType) -> bool:
    if path in shape.objects:
        if pa.types.is_struct(kind):
            return can_build(shape, spans, path, list(kind))
        return pa.types.is_map(kind) and all(
            _fits(shape, spans, member, kind.item_type) for member in shape.members_of(path)
        )
    index = shape.find_slot(path)
    if index is None:
        return True
    slot, (begins, ends) = shape.slots[index].kind, spans[index]
    if pa.types.is_int32(kind):
        return slot is SlotKind.WHOLE and int((ends - begins).max(initial=0)) <= _SAFE_INT32_DIGITS
    return slot is _KINDS.get(kind)


def build_struct(
    block: BlockText,
    shape: LineShape,
    spans: Spans,
    path: FieldPath,
    fields: Sequence[pa.Field],
    built: Mapping[str, pa.Array] = MappingProxyType({}),
) -> pa.StructArray:
    """The object at `path` with these fields, one row per line, where `can_build` said so; some may be built."""
    children = [
        built[field.name] if field.name in built else _build(block, shape, spans, (*path, field.name), field.type)
        for field in fields
    ]
    return pa.StructArray.from_arrays(children, fields=list(fields))


def _build(block: BlockText, shape: LineShape, spans: Spans, path: FieldPath, kind: pa.DataType) -> pa.Array:
    if path in shape.objects:
        if pa.types.is_map(kind):
            return _build_map(block, shape, spans, path)
        return build_struct(block, shape, spans, path, list(kind))
    index = shape.find_slot(path)
    if index is None:
        return nulls_of(len(spans[0][0]), kind)
    begins, ends = spans[index]
    if pa.types.is_string(kind):
        return _texts(block, begins, ends)
    if pa.types.is_boolean(kind):
        return from_flags(block.text[begins] == ord("t"))
    texts = spans_of(block.text, begins, ends)
    return texts.cast(pa.int64(), memory_pool=column_pool()).cast(kind, memory_pool=column_pool())


def _texts(block: BlockText, begins: Places, ends: Places) -> pa.StringArray:
    return without_backslashes(spans_of(block.text, begins, ends))


def _build_map(block: BlockText, shape: LineShape, spans: Spans, path: FieldPath) -> pa.MapArray:
    rows = len(spans[0][0])
    members = shape.members_of(path)
    found = [shape.find_slot(member) for member in members]
    present = [column for column, index in enumerate(found) if index is not None]
    slots = [spans[index] for index in found if index is not None]
    begins = np.stack([begin for begin, _ in slots], axis=1).ravel() if slots else np.empty(0, np.int64)
    ends = np.stack([end for _, end in slots], axis=1).ravel() if slots else np.empty(0, np.int64)
    values = _texts(block, begins, ends)
    if len(present) < len(members):
        source = np.full((rows, len(members)), -1, np.int64)
        source[:, present] = np.arange(rows * len(present)).reshape(rows, len(present))
        places = from_numbers(np.maximum(source.ravel(), 0), source.ravel() >= 0)
        values = pc.take(values, places, memory_pool=column_pool())
    names = from_texts([member[-1] for member in members])
    keys = pc.take(names, from_numbers(np.tile(np.arange(len(members)), rows)), memory_pool=column_pool())
    offsets = from_numbers(np.arange(rows + 1, dtype=np.int32) * np.int32(len(members)))
    return pa.MapArray.from_arrays(offsets, keys, values)
