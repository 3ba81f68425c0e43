"""The maps of file actions (`partitionValues`, `tags`), cut out of the text of a block.

Writers put `partitionValues` right behind the path, so its place follows from the path's length and is then
checked byte for byte. Any line that is spelled otherwise is decoded on its own. Equal texts are decoded once.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.columnar.arrow_schema import STRING_MAP
from deltaresolver.log.columnar.fast.arrow_numpy import Mask, flags_of, from_numbers, numbers_of
from deltaresolver.log.columnar.fast.string_spans import spans_of
from deltaresolver.log.columnar.from_values import from_values

StringMap = dict[str, str | None]

_decode_map = msgspec.json.Decoder(StringMap).decode
_decode_line = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_FIRST = "partitionValues"
_CLOSE = ord("}")


def read_maps(
    array: pa.StructArray, data: bytes, starts: np.ndarray, action: str, names: Sequence[str]
) -> dict[str, pa.MapArray]:
    """The map columns `names` of `array`, whose rows are the lines of `data` that begin at `starts`.

    Raises `msgspec.DecodeError` where a map holds something other than strings and nulls.
    """
    return {name: _read_map(array, data, starts, action, name) for name in names}


def _read_map(array: pa.StructArray, data: bytes, starts: np.ndarray, action: str, name: str) -> pa.MapArray:
    rows = np.flatnonzero(_present(array, name))
    if not len(rows):
        return pa.nulls(len(array), STRING_MAP)
    found = rows[:0]
    texts = None
    if name == _FIRST:
        found, texts = _find_behind_path(array, data, starts, action, rows)
    codes = np.full(len(array), -1, dtype=np.int64)
    values: list[StringMap] = []
    if texts is not None and len(found):
        encoded = texts.dictionary_encode()
        values = [_decode_map(text) for text in encoded.dictionary.cast(pa.binary()).to_pylist()]
        codes[found] = numbers_of(encoded.indices)
    rest = np.setdiff1d(rows, found, assume_unique=True) if len(found) < len(rows) else rows[:0]
    for row in rest.tolist():
        codes[row] = len(values)
        values.append(_decode_one(data, int(starts[row]), action, name))
    distinct = from_values(values, STRING_MAP)
    return distinct.take(from_numbers(codes, codes >= 0))


def _present(array: pa.StructArray, name: str) -> Mask:
    return flags_of(pc.struct_field(array, name).is_valid())


def _decode_one(data: bytes, start: int, action: str, name: str) -> StringMap:
    end = data.find(b"\n", start)
    line = data[start:] if end < 0 else data[start:end]
    return _decode_map(_decode_fields(_decode_line(line)[action])[name])


def _find_behind_path(
    array: pa.StructArray, data: bytes, starts: np.ndarray, action: str, rows: np.ndarray
) -> tuple[np.ndarray, pa.StringArray | None]:
    """The rows spelled `{"add":{"path":"...","partitionValues":{...}` and the texts of their maps."""
    text = np.frombuffer(data, dtype=np.uint8)
    head = b'{"%s":{"path":"' % action.encode()
    joint = b'","partitionValues":'
    paths = array.field("path")
    lengths = np.diff(np.frombuffer(paths.buffers()[1], dtype=np.int32)[paths.offset : paths.offset + len(paths) + 1])
    begins = starts[rows]
    joints = begins + len(head) + lengths[rows]
    fits = joints + len(joint) < len(data)
    rows, begins, joints = rows[fits], begins[fits], joints[fits]
    same = _bytes_equal(text, begins, head) & _bytes_equal(text, joints, joint)
    # Behind a backslash the quote at the joint would belong to the path.
    same &= text[joints - 1] != ord("\\")
    rows, opens = rows[same], joints[same] + len(joint)
    if not len(rows):
        return rows, None
    closes = np.flatnonzero(text == _CLOSE)
    ends = closes[np.minimum(np.searchsorted(closes, opens), len(closes) - 1)] + 1
    texts = spans_of(data, opens, ends)
    return rows, texts


def _bytes_equal(text: np.ndarray, places: np.ndarray, expected: bytes) -> np.ndarray:
    """Whether `expected` stands at each of `places`."""
    same = np.ones(len(places), dtype=bool)
    for index, byte in enumerate(expected):
        same &= text[places + index] == byte
    return same
