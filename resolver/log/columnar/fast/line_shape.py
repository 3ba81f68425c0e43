"""The shape of a log line: its constant text, and the slots between where lines of one writer differ.

A writer spells thousands of lines alike. Once one of them is understood, all others of its shape can be
checked byte for byte against the constant text and cut at the slots, many at a time (`shaped_lines`).
"""

from __future__ import annotations

import enum
import re

import attrs
import msgspec

from deltaresolver.value import Value

FieldPath = tuple[str, ...]

_KEY = re.compile(rb'"([^"\\\x00-\x1f]*)":')
_TEXT = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?=[,}])")


class SlotKind(enum.Enum):
    """What stands in a slot."""

    TEXT = "text"
    WHOLE = "whole number"
    FLAG = "flag"


@attrs.frozen(slots=True)
class Slot(Value):
    """A place where lines of one shape differ, and the field it belongs to."""

    path: FieldPath
    kind: SlotKind


@attrs.frozen(slots=True)
class LineShape(Value):
    """`constants[i]` stands before `slots[i]`; the last constant ends the line. `members` are all fields, in order."""

    constants: tuple[bytes, ...]
    slots: tuple[Slot, ...]
    members: tuple[FieldPath, ...]
    objects: frozenset[FieldPath]
    widths: tuple[int, ...]
    """How long the slots are in the line that the shape was found in."""

    @property
    def quotes(self) -> int:
        """How many quotes that end or begin a string a line has."""
        return sum(constant.count(b'"') for constant in self.constants)

    def find_slot(self, path: FieldPath) -> int | None:
        """The number of a field's slot; None where lines of this shape have none: no such field, or null."""
        return next((number for number, slot in enumerate(self.slots) if slot.path == path), None)

    def members_of(self, path: FieldPath) -> list[FieldPath]:
        """The fields right below an object, in the order of the line."""
        return [each for each in self.members if each[:-1] == path]


def find_shape(line: bytes) -> LineShape | None:
    """The shape of a line, or None where it is not one to cut by: white space, arrays, fractions, odd keys."""
    try:
        msgspec.json.decode(line)
        scan = _Scan(line)
        scan.read_object(())
    except (msgspec.DecodeError, RecursionError, _UnshapedError):
        return None
    if scan.place != len(line) or len(set(scan.members)) != len(scan.members):
        return None
    scan.constants.append(line[scan.constant_start :])
    return LineShape(
        tuple(scan.constants), tuple(scan.slots), tuple(scan.members), frozenset(scan.objects), tuple(scan.widths)
    )


class _UnshapedError(Exception):
    """The line has something no slot can hold."""


class _Scan:
    """One pass over a line that is known to be JSON."""

    def __init__(self, line: bytes) -> None:
        self.line = line
        self.place = 0
        self.constant_start = 0
        self.constants: list[bytes] = []
        self.slots: list[Slot] = []
        self.widths: list[int] = []
        self.members: list[FieldPath] = []
        self.objects: set[FieldPath] = set()

    def read_object(self, path: FieldPath) -> None:
        self._expect(b"{")
        self.objects.add(path)
        if self._next() == b"}":
            self.place += 1
            return
        while True:
            key = _KEY.match(self.line, self.place)
            if key is None:
                raise _UnshapedError
            self.place = key.end()
            self._read_value((*path, key.group(1).decode()))
            if self._next() == b"}":
                self.place += 1
                return
            self._expect(b",")

    def _read_value(self, path: FieldPath) -> None:
        self.members.append(path)
        first = self._next()
        if first == b"{":
            self.read_object(path)
        elif first == b'"':
            self._read_text(path)
        elif self.line.startswith(b"null", self.place):
            self.place += 4
        elif first in (b"t", b"f"):
            self._fill(path, SlotKind.FLAG, self.place, self.place + (4 if first == b"t" else 5))
        else:
            number = _NUMBER.match(self.line, self.place)
            if number is None:
                raise _UnshapedError
            self._fill(path, SlotKind.WHOLE, self.place, number.end())

    def _read_text(self, path: FieldPath) -> None:
        text = _TEXT.match(self.line, self.place + 1)
        if text is None:
            raise _UnshapedError
        self._fill(path, SlotKind.TEXT, self.place + 1, text.end() - 1)
        self.place = text.end()

    def _fill(self, path: FieldPath, kind: SlotKind, begin: int, end: int) -> None:
        self.constants.append(self.line[self.constant_start : begin])
        self.slots.append(Slot(path, kind))
        self.widths.append(end - begin)
        self.constant_start = self.place = end

    def _next(self) -> bytes:
        return self.line[self.place : self.place + 1]

    def _expect(self, mark: bytes) -> None:
        if self._next() != mark:
            raise _UnshapedError
        self.place += 1
