"""Two ways to cut the lines of a block at the slots of a shape, both sure of every byte.

By widths: slots are tried as wide as in lines met before, and the text that should follow is looked for there.
The block's quotes are then counted, not located: lines whose constant text holds all of them have none in slots.
By quotes: where slots are of too many widths, every quote of the block is located, and slots end at quotes.
"""

from __future__ import annotations

from typing import Protocol

import attrs
import numpy as np

from deltaresolver.log.columnar.fast.block_text import BlockText, Mask, Places, find_quotes
from deltaresolver.log.columnar.fast.line_shape import LineShape, SlotKind
from deltaresolver.value import Printable

Spans = list[tuple[Places, Places]]

_MAX_WIDTHS = 16
_BACKSLASH = ord("\\")


class LineCutter(Protocol):
    """Cuts lines of one block."""

    def cut(self, lines: Places, shape: LineShape) -> tuple[Spans, Mask]:
        """Where the slots of the lines are if they have the shape, and which lines do."""


@attrs.frozen(slots=True, eq=False)
class WidthCutter(Printable):
    """What it says of lines holds if `BlockText.plain_quotes` are as many as their shapes and other lines have."""

    block: BlockText

    def cut(self, lines: Places, shape: LineShape) -> tuple[Spans, Mask]:
        """As `LineCutter.cut`; a line may also be left out because its slots are of rare widths."""
        begins, ends = self.block.begins[lines], self.block.ends[lines]
        if not shape.slots:
            return [], self.block.holds(begins, shape.constants[0]) & (ends - begins == len(shape.constants[0]))
        # The longest slot varies most; it takes what the others, cut from both ends of the line, leave.
        free = shape.widths.index(max(shape.widths))
        fits = self.block.holds(begins, shape.constants[0])
        fits &= self.block.holds(ends - len(shape.constants[-1]), shape.constants[-1])
        left, right = begins + len(shape.constants[0]), ends - len(shape.constants[-1])
        before: Spans = []
        for index in range(free):
            following = shape.constants[index + 1]
            widths = self._find_widths(left, right, following, shape.widths[index], fits)
            before.append((left, left + widths))
            left = left + widths + len(following)
        after: Spans = []
        for index in range(len(shape.slots) - 1, free, -1):
            preceding = shape.constants[index]
            widths = self._find_widths_back(left, right, preceding, shape.widths[index], fits)
            after.append((right - widths, right))
            right = right - widths - len(preceding)
        spans = [*before, (left, right), *reversed(after)]
        return spans, fits & (left <= right) & _hold_kinds(self.block, spans, shape) & self._end_unescaped(spans, shape)

    def _find_widths(self, places: Places, limits: Places, following: bytes, likely: int, fits: Mask) -> Places:
        """How far from `places` on `following` stands; lines where it is not found do not fit."""
        widths = np.full(len(places), likely)
        found = self.block.holds(places + likely, following)
        for _ in range(_MAX_WIDTHS):
            rest = np.flatnonzero(fits & ~found)
            if not len(rest):
                return widths
            first = rest[0]
            width = self.block.piece(places[first], limits[first]).find(following)
            if width < 0:
                fits[first] = False
                continue
            widths[rest] = width
            found[rest] = self.block.holds(places[rest] + width, following)
        fits &= found
        return widths

    def _find_widths_back(self, limits: Places, places: Places, preceding: bytes, likely: int, fits: Mask) -> Places:
        """How far back from `places` `preceding` ends; lines where it is not found do not fit."""
        size = len(preceding)
        widths = np.full(len(places), likely)
        found = self.block.holds(places - (likely + size), preceding)
        for _ in range(_MAX_WIDTHS):
            rest = np.flatnonzero(fits & ~found)
            if not len(rest):
                return widths
            first = rest[0]
            piece = self.block.piece(limits[first], places[first])
            at = piece.rfind(preceding)
            if at < 0:
                fits[first] = False
                continue
            width = len(piece) - size - at
            widths[rest] = width
            found[rest] = self.block.holds(places[rest] - (width + size), preceding)
        fits &= found
        return widths

    def _end_unescaped(self, spans: Spans, shape: LineShape) -> Mask:
        """Whether no backslash stands at the end of a slot, where it would escape the quote that follows."""
        fine = np.ones(len(spans[0][0]), np.bool_)
        for slot, (begins, ends) in zip(shape.slots, spans, strict=True):
            if slot.kind is SlotKind.TEXT:
                # A slot is never the start of a block; ends of lines that do not fit may be anywhere.
                last = self.block.text[np.clip(ends - 1, 0, len(self.block.text) - 1)]
                fine &= (last != _BACKSLASH) | (ends <= begins)
        return fine


class QuoteCutter:
    """Needs no condition, but the place of every quote."""

    def __init__(self, block: BlockText) -> None:
        self._block = block
        self._quotes = find_quotes(block)

    def cut(self, lines: Places, shape: LineShape) -> tuple[Spans, Mask]:
        """As `LineCutter.cut`."""
        first = np.searchsorted(self._quotes, self._block.begins[lines])
        fits: Mask = np.searchsorted(self._quotes, self._block.ends[lines]) - first == shape.quotes
        alike = np.flatnonzero(fits)
        spans, fits[alike] = self._cut_alike(lines[alike], first[alike], shape)
        whole = []
        for begins, ends in spans:
            both = np.zeros((2, len(lines)), np.int64)
            both[:, alike] = begins, ends
            whole.append((both[0], both[1]))
        return whole, fits

    def _cut_alike(self, lines: Places, first_quote: Places, shape: LineShape) -> tuple[Spans, Mask]:
        """As `cut`, for lines with as many quotes as the shape."""
        place, line_ends = self._block.begins[lines], self._block.ends[lines]
        fits = np.ones(len(lines), np.bool_)
        spans: Spans = []
        quote = 0
        for index, constant in enumerate(shape.constants):
            fits &= self._block.holds(place, constant)
            place = place + len(constant)
            quote += constant.count(b'"')
            if index == len(shape.slots):
                break
            following = shape.constants[index + 1]
            ahead = following.find(b'"')
            end = line_ends - len(following) if ahead < 0 else self._quotes[first_quote + quote] - ahead
            spans.append((place, end))
            place = end
        return spans, fits & (place == line_ends) & _hold_kinds(self._block, spans, shape)


def _hold_kinds(block: BlockText, spans: Spans, shape: LineShape) -> Mask:
    """Whether slots of whole numbers and flags hold such; a slot of text may hold anything."""
    fine = np.ones(len(spans[0][0]) if spans else 1, np.bool_)
    for slot, (begins, ends) in zip(shape.slots, spans, strict=True):
        if slot.kind is SlotKind.WHOLE:
            fine &= block.hold_whole_numbers(begins, ends)
        elif slot.kind is SlotKind.FLAG:
            fine &= (block.holds(begins, b"true") & (ends - begins == len(b"true"))) | (
                block.holds(begins, b"false") & (ends - begins == len(b"false"))
            )
    return fine
