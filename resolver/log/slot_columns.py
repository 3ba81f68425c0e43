"""Slots of many lines as Arrow columns: texts unescaped, numbers and flags converted, maps and structs put together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from deltaresolver.log.arrow_numpy import from_flags, from_numbers, from_texts
from deltaresolver.log.block_text import BlockText, Places
from deltaresolver.log.line_shape import FieldPath, LineShape, SlotKind
from deltaresolver.log.string_spans import spans_of, without_backslashes

Spans = Sequence[tuple[Places, Places]]


def build_struct(
    block: BlockText, shape: LineShape, spans: Spans, path: FieldPath, fields: Sequence[pa.Field]
) -> pa.StructArray | None:
    """The object at `path` with these fields, one row per line; None where a slot is not of a field's type.

    Raises `pa.ArrowInvalid` where a slot does not convert.
    """
    children = []
    for field in fields:
        child = _build(block, shape, spans, (*path, field.name), field.type)
        if child is None:
            return None
        children.append(child)
    return pa.StructArray.from_arrays(children, fields=list(fields))


def _build(block: BlockText, shape: LineShape, spans: Spans, path: FieldPath, kind: pa.DataType) -> pa.Array | None:
    rows = len(spans[0][0])
    if path not in shape.members:
        return pa.nulls(rows, kind)
    if path in shape.objects:
        if pa.types.is_map(kind):
            return _build_map(block, shape, spans, path, kind)
        return build_struct(block, shape, spans, path, list(kind)) if pa.types.is_struct(kind) else None
    index = next((number for number, slot in enumerate(shape.slots) if slot.path == path), None)
    if index is None:
        return pa.nulls(rows, kind)
    slot, (begins, ends) = shape.slots[index], spans[index]
    if pa.types.is_string(kind) and slot.kind is SlotKind.TEXT:
        return _texts(block, begins, ends)
    if pa.types.is_integer(kind) and slot.kind is SlotKind.WHOLE:
        return _wholes(block, begins, ends).cast(kind)
    if pa.types.is_boolean(kind) and slot.kind is SlotKind.FLAG:
        return _flags(block, begins, ends)
    return None


def _texts(block: BlockText, begins: Places, ends: Places) -> pa.StringArray:
    return without_backslashes(spans_of(block.data, begins, ends))


def _wholes(block: BlockText, begins: Places, ends: Places) -> pa.Int64Array:
    first = block.text[begins]
    first = np.where(first == ord("-"), block.text[begins + 1], first)
    # JSON has no leading zeros and no plus sign; Arrow would take both.
    if ((first == ord("0")) & (ends - begins > 1)).any() or (first == ord("+")).any():
        raise pa.ArrowInvalid("not a JSON number")
    return spans_of(block.data, begins, ends).cast(pa.int64())


def _flags(block: BlockText, begins: Places, ends: Places) -> pa.BooleanArray:
    true = block.holds(begins, b"true") & (ends - begins == 4)
    false = block.holds(begins, b"false") & (ends - begins == 5)
    if not (true | false).all():
        raise pa.ArrowInvalid("neither true nor false")
    return from_flags(true)


def _build_map(block: BlockText, shape: LineShape, spans: Spans, path: FieldPath, kind: pa.MapType) -> pa.Array | None:
    rows = len(spans[0][0])
    members = shape.members_of(path)
    slots = {slot.path: number for number, slot in enumerate(shape.slots)}
    begins = np.zeros((rows, len(members)), np.int64)
    ends = np.zeros((rows, len(members)), np.int64)
    absent = [member not in slots for member in members]
    for column, member in enumerate(members):
        if member in shape.objects:
            return None
        if member in slots:
            if shape.slots[slots[member]].kind is not SlotKind.TEXT:
                return None
            begins[:, column], ends[:, column] = spans[slots[member]]
    present = [column for column, is_absent in enumerate(absent) if not is_absent]
    values = _texts(block, begins[:, present].ravel(), ends[:, present].ravel())
    if any(absent):
        source = np.full((rows, len(members)), -1, np.int64)
        source[:, present] = np.arange(rows * len(present)).reshape(rows, len(present))
        values = values.take(from_numbers(source.ravel(), source.ravel() >= 0))
    names = from_texts([member[-1] for member in members])
    keys = names.take(from_numbers(np.tile(np.arange(len(members)), rows)))
    offsets = from_numbers(np.arange(rows + 1, dtype=np.int32) * np.int32(len(members)))
    return pa.MapArray.from_arrays(offsets, keys, values, type=kind)
