"""However a block of commits is damaged, it is read as its lines are one by one, or refused as they are."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.columnar.action_rows import ActionRows
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.columnar.file_keys import find_keys
from deltaresolver.log.columnar.json_blocks import make_block, parse_block
from deltaresolver.log.columnar.json_lines import read_lines
from deltaresolver.log.columnar.projection import project_adds

EVERYTHING = project_adds(FileColumns.ALL.value)
STATS = json.dumps({"numRecords": 3, "minValues": {"a": "x"}})


def line(number: int) -> bytes:
    key = {"path": f"p=1/{number:03}", "partitionValues": {"p": "1"}}
    if number % 4:
        action = {"add": {**key, "size": number, "modificationTime": 5, "dataChange": True, "stats": STATS}}
    else:
        action = {"remove": {**key, "deletionTimestamp": number, "dataChange": True}}
    return json.dumps(action, separators=(",", ":") if number % 7 else (", ", ": ")).encode() + b"\n"


WHITE = [b"\n", b"\r", b" ", b"\xef\xbb\xbf", b"\xe2\x80\xa8"]
MARKS = [b"{", b"}", b"{}", b",", b":", b'"', b"\\", b"\\\\", b'\\"', b"\\u0041"]
BYTES = [b"\x00", b"\x1f", b"\x80", b"\xff", "ä".encode(), b"1", b"-", b"null", b"null\n", b"\nnull\n"]
pieces = st.sampled_from([*WHITE, *MARKS, *BYTES])
edits = st.lists(st.tuples(st.integers(0, 1500), st.integers(0, 4), pieces), max_size=3)


def found(rows: ActionRows) -> list[str]:
    """The file actions in order: adds with all fields, removes by their paths."""
    keys = find_keys(rows)
    places = np.sort(keys.rows[keys.is_add])
    adds = dict(zip(places.tolist(), map(repr, rows.source.take(places).to_pylist()), strict=True))
    removes = rows.remove.field("path").to_pylist()
    return [adds[row] if is_add else removes[row] for row, is_add in zip(keys.rows.tolist(), keys.is_add, strict=True)]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=9, unique=True), edits)
def test_a_damaged_block_is_read_as_its_lines(numbers: list[int], changes: list[tuple[int, int, bytes]]) -> None:
    data = b"".join(map(line, numbers))
    for place, length, piece in changes:
        start = place % (len(data) + 1)
        data = data[:start] + piece + data[start + length :]
    try:
        expected = found(read_lines(data, "p", 1, EVERYTHING))
    except CommitMalformedError:
        expected = None
    try:
        rows = parse_block(make_block([(data, 1, "p")]), EVERYTHING)
    except CommitMalformedError:
        rows = None
    assert (None if rows is None else [each for part in rows for each in found(part)]) == expected
