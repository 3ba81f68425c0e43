"""Commit bytes to Arrow: whole blocks of lines at once, in the fastest way that is sure to be right.

1. Lines that a writer spells alike are cut by their common shape (`shaped_lines`).
2. Any other JSON goes through pyarrow's reader with an explicit schema. It cannot read an object as a map, so
   maps are cut out of the text (`json_maps`).
3. What that refuses is read line by line (`json_lines`), which tells a value that Delta accepts from a bad line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs
import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.action_rows import ActionRows, built_rows
from deltaresolver.log.columnar.fast.block_text import is_utf8
from deltaresolver.log.columnar.fast.json_maps import read_maps
from deltaresolver.log.columnar.fast.shaped_lines import read_shaped
from deltaresolver.log.columnar.json_lines import read_lines
from deltaresolver.log.columnar.json_objects import read_objects
from deltaresolver.log.columnar.projection import Projection
from deltaresolver.value import Printable, Value

_NEWLINE, _OPEN = ord("\n"), ord("{")
_MARK = pa.struct([])
"""Stands for a map in the reader's schema: it only shows whether the map is there."""


@attrs.frozen(slots=True)
class TextSource(Value):
    """Where a block's text comes from: from `offset` on, line `first_line` and the following of the file `path`."""

    offset: int
    first_line: int
    path: str


@attrs.frozen(slots=True, eq=False)
class JsonBlock(Printable):
    """Whole lines of one or several commit files, in order."""

    data: bytes | memoryview
    sources: tuple[TextSource, ...]


def make_block(pieces: Iterable[tuple[bytes, int, str]]) -> JsonBlock:
    """A block of pieces of text, each whole lines, with the number of its first line and the path of its file."""
    texts: list[bytes] = []
    sources: list[TextSource] = []
    offset = 0
    for text, first_line, path in pieces:
        sources.append(TextSource(offset, first_line, path))
        texts.append(text)
        offset += len(text)
        if not text.endswith(b"\n"):
            texts.append(b"\n")
            offset += 1
    return JsonBlock(texts[0] if len(texts) == 1 else b"".join(texts), tuple(sources))


def parse_block(block: JsonBlock, projection: Projection) -> list[ActionRows]:
    """The rows of a block in order. Raises `CommitMalformedError` naming file and line."""
    rows = read_shaped(block.data, projection)
    if rows is not None:
        return [rows]
    data = bytes(block.data)
    if not data or data.isspace():
        return []
    rows = _parse_fast(data, projection)
    return [rows] if rows is not None else list(_parse_slowly(data, block.sources, projection))


def _parse_slowly(data: bytes, sources: Sequence[TextSource], projection: Projection) -> Iterator[ActionRows]:
    ends = [source.offset for source in sources[1:]] + [len(data)]
    for source, end in zip(sources, ends, strict=True):
        yield read_lines(data[source.offset : end], source.path, source.first_line, projection)


def _parse_fast(data: bytes, projection: Projection) -> ActionRows | None:
    """The rows by pyarrow's reader, one per line, or None where it refuses or where a line needs a closer look."""
    starts = _object_starts(data)
    table = read_objects(data, _reader_schema(projection)) if starts is not None and is_utf8(data) else None
    # A row is not a line where a line holds two objects, or an object spans two lines.
    if starts is None or table is None or table.num_rows != len(starts):
        return None
    parsed = {action: _one_chunk(table.column(action)) for action in ("add", "remove")}
    if not _is_plain(parsed["add"], parsed["remove"]):
        return None
    try:
        parsed[projection.action] = _with_maps(parsed[projection.action], data, starts, projection)
    except (pa.ArrowInvalid, msgspec.DecodeError, RecursionError):
        return None
    return built_rows(parsed, projection.action)


def _is_plain(add: pa.StructArray, remove: pa.StructArray) -> bool:
    """Whether no row is both an add and a remove, and every file action has a path."""
    files = len(add) - add.null_count + len(remove) - remove.null_count
    if pc.or_(add.is_valid(), remove.is_valid()).true_count != files:
        return False
    return all(pc.struct_field(array, "path").null_count == array.null_count for array in (add, remove))


def _reader_schema(projection: Projection) -> pa.Schema:
    return pa.schema(
        pa.field(
            action,
            pa.struct([f.with_type(_MARK) if pa.types.is_map(f.type) else f for f in projection.fields_of(action)]),
        )
        for action in ("add", "remove")
    )


def _object_starts(data: bytes) -> np.ndarray | None:
    """Where each line that holds something starts, or None where one does not begin with an object."""
    text = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(text == _NEWLINE)
    starts = np.concatenate([np.zeros(1, np.int64), ends + 1])
    ends = np.append(ends, len(data))
    starts, ends = starts[ends > starts], ends[ends > starts]
    odd = np.flatnonzero(text[starts] != _OPEN)
    if not len(odd):
        return starts
    pieces = [data[start:end].lstrip() for start, end in zip(starts[odd].tolist(), ends[odd].tolist(), strict=True)]
    if not all(piece.startswith(b"{") for piece in pieces if piece):
        return None
    return np.delete(starts, odd[[not piece for piece in pieces]])


def _one_chunk(column: pa.ChunkedArray) -> pa.StructArray:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _with_maps(array: pa.StructArray, data: bytes, starts: np.ndarray, projection: Projection) -> pa.StructArray:
    """The array with every map's mark replaced by the map itself."""
    names = [field.name for field in projection.fields if pa.types.is_map(field.type)]
    if not names:
        return array
    maps = read_maps(array, data, starts, projection.action, names)
    children = [maps.get(field.name, array.field(index)) for index, field in enumerate(projection.fields)]
    mask = array.is_null() if array.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(projection.fields), mask=mask)
