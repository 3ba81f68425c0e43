"""Lines of one shape, cut at their slots all at once: the fast way from commit bytes to Arrow.

Every byte of a line is accounted for: its constants are compared, its slots are checked or converted. A line
that differs from every shape in the block sends the whole block the general way, so nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import msgspec
import numpy as np
import pyarrow as pa

from deltaresolver.log.columnar.action_rows import ActionRows
from deltaresolver.log.columnar.fast.block_text import BlockText, Mask, Places, locate
from deltaresolver.log.columnar.fast.line_cutters import LineCutter, QuoteCutter, WidthCutter
from deltaresolver.log.columnar.fast.line_shape import LineShape, find_shape
from deltaresolver.log.columnar.fast.slot_columns import build_struct, can_build
from deltaresolver.log.columnar.projection import KEY_FIELDS, Projection
from deltaresolver.value import Printable

_MAX_SHAPES = 24
_MAX_OTHERS = 0.6
_decode_names = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@attrs.frozen(slots=True, eq=False)
class ShapedLines(Printable):
    """Lines of one shape, and where each slot begins and ends in each of them."""

    shape: LineShape
    lines: Places
    spans: tuple[tuple[Places, Places], ...]


def read_shaped(data: bytes | memoryview, projection: Projection) -> ActionRows | None:
    """The file actions in a block of whole lines, or None where a line is not plain enough."""
    block = locate(data)
    if block is None:
        return None
    of_add = block.holds(block.begins, b'{"add":{')
    of_remove = block.holds(block.begins, b'{"remove":{')
    others = np.flatnonzero(~(of_add | of_remove))
    if len(others) > _MAX_OTHERS * len(block.begins) or not _are_harmless(block, others):
        return None
    found = _read_both(block, WidthCutter(block), of_add, of_remove)
    if found is None or not _are_all_quotes(block, found, others):
        found = _read_both(block, QuoteCutter(block), of_add, of_remove)
    if found is None:
        return None
    add, remove = found
    source = (add if projection.action == "add" else remove).with_fields(projection.fields)
    return ActionRows(add.keys, remove.keys, source, (add.lines, remove.lines)) if source.is_sound() else None


def _read_both(
    block: BlockText, cutter: LineCutter, of_add: Mask, of_remove: Mask
) -> tuple[ShapedRows, ShapedRows] | None:
    add = _read_action(block, cutter, np.flatnonzero(of_add), "add")
    remove = None if add is None else _read_action(block, cutter, np.flatnonzero(of_remove), "remove")
    return None if add is None or remove is None else (add, remove)


def _are_all_quotes(block: BlockText, found: Sequence[ShapedRows], others: Places) -> bool:
    """Whether the constant text of the shapes and the other lines have all quotes that are not escaped."""
    count = sum(len(group.lines) * group.shape.quotes for rows in found for group in rows.groups)
    for begin, end in zip(block.begins[others].tolist(), block.ends[others].tolist(), strict=True):
        # Every backslash of the block escapes a quote.
        line = block.piece(begin, end)
        count += line.count(b'"') - line.count(b"\\")
    return count == block.plain_quotes


@attrs.frozen(slots=True, eq=False)
class ShapedRows(Printable):
    """The lines of one action, shape by shape; fields outside their keys are built when asked for."""

    block: BlockText
    action: str
    groups: tuple[ShapedLines, ...]
    keys: pa.StructArray
    fields: tuple[pa.Field, ...] = KEY_FIELDS

    @property
    def lines(self) -> Places:
        """The line of each row."""
        return np.concatenate([group.lines for group in self.groups] or [np.empty(0, np.int64)])

    def with_fields(self, fields: tuple[pa.Field, ...]) -> ShapedRows:
        """The same rows, to be built with these fields."""
        return attrs.evolve(self, fields=fields)

    def is_sound(self) -> bool:
        """Whether every slot holds a value of its field's type."""
        return all(can_build(group.shape, group.spans, (self.action,), self.fields) for group in self.groups)

    def take(self, rows: Places) -> pa.StructArray:
        """These rows, which ascend, with all fields."""
        arrays = []
        start = 0
        for group in self.groups:
            begin, end = np.searchsorted(rows, (start, start + len(group.lines)))
            chosen = rows[begin:end] - start
            spans, built = group.spans, {}
            if len(chosen) < len(group.lines):
                # To cut the paths once more costs less than to take them from those that are cut already.
                spans = self._choose(group, chosen)
            else:
                built = {"path": self.keys.field("path").slice(start, len(group.lines))}
            arrays.append(build_struct(self.block, group.shape, spans, (self.action,), self.fields, built))
            start += len(group.lines)
        if not arrays:
            return pa.nulls(0, pa.struct(list(self.fields)))
        return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)

    def _choose(self, group: ShapedLines, chosen: Places) -> tuple[tuple[Places, Places], ...]:
        """The spans of the chosen lines for the fields to build; of the others only the first, which tells how many."""
        wanted = {field.name for field in self.fields}
        return tuple(
            (begins[chosen], ends[chosen]) if not number or slot.path[1] in wanted else (begins, ends)
            for number, (slot, (begins, ends)) in enumerate(zip(group.shape.slots, group.spans, strict=True))
        )


def _are_harmless(block: BlockText, lines: Places) -> bool:
    """Whether these lines are JSON objects without a file action."""
    for begin, end in zip(block.begins[lines].tolist(), block.ends[lines].tolist(), strict=True):
        try:
            names = _decode_names(block.piece(begin, end))
        except (msgspec.DecodeError, RecursionError):
            return False
        if "add" in names or "remove" in names:
            return False
    return True


def _read_action(block: BlockText, cutter: LineCutter, lines: Places, action: str) -> ShapedRows | None:
    """The action's rows with their keys; rows of one shape come together."""
    groups, keys = [], []
    for group in _sort_by_shape(block, cutter, lines):
        if group is None or group.shape.members_of(()) != [(action,)]:
            return None
        if not can_build(group.shape, group.spans, (action,), KEY_FIELDS):
            return None
        array = build_struct(block, group.shape, group.spans, (action,), KEY_FIELDS)
        if array.field("path").null_count:
            return None
        groups.append(group)
        keys.append(array)
    key_type = pa.struct(list(KEY_FIELDS))
    joined = keys[0] if len(keys) == 1 else pa.concat_arrays(keys) if keys else pa.nulls(0, key_type)
    return ShapedRows(block, action, tuple(groups), joined)


def _sort_by_shape(block: BlockText, cutter: LineCutter, lines: Places) -> Iterator[ShapedLines | None]:
    """The lines by shape; None, and no more, where there is a line without one or too many shapes."""
    shapes = 0
    while len(lines):
        shapes += 1
        sample = block.piece(block.begins[lines[0]], block.ends[lines[0]])
        shape = find_shape(sample) if shapes <= _MAX_SHAPES else None
        if shape is None:
            yield None
            return
        spans, fits = cutter.cut(lines, shape)
        if not fits[0]:
            yield None
            return
        if fits.all():
            yield ShapedLines(shape, lines, tuple(spans))
            return
        yield ShapedLines(shape, lines[fits], tuple((begin[fits], end[fits]) for begin, end in spans))
        lines = lines[~fits]
