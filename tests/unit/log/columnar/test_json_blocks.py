"""Commit text to rows: every way of spelling gives the same, and nothing malformed gets through."""

from __future__ import annotations

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.columnar.fast.arrow_numpy import from_numbers, valid_rows
from deltaresolver.log.columnar.fast.block_text import locate
from deltaresolver.log.columnar.fast.line_cutters import QuoteCutter, WidthCutter
from deltaresolver.log.columnar.fast.line_shape import find_shape
from deltaresolver.log.columnar.fast.shaped_lines import read_shaped
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.columnar.json_blocks import make_block, parse_block
from deltaresolver.log.columnar.json_lines import read_lines
from deltaresolver.log.columnar.projection import EVERY_TOMBSTONE_FIELD, Projection, project_adds
from deltaresolver.log.columnar.read_files import read_files, read_tombstones
from deltaresolver.log.segment import CommitFile, LogSegment
from deltaresolver.log.storage.memory_store import MemoryStore

PATH = "_delta_log/00000000000000000007.json"
ADD = (
    '{"add":{"path":"p=1/a","partitionValues":{"p":"1"},"size":12,"modificationTime":1700000000000,'
    '"dataChange":true,"stats":"{\\"numRecords\\":3}"}}'
)
EVERYTHING = project_adds(FileColumns.ALL.value)


def read(text: str | bytes, columns: FileColumns = FileColumns.ALL) -> list[dict[str, object]]:
    data = text.encode() if isinstance(text, str) else text
    store = MemoryStore()
    store.put(PATH, data)
    segment = LogSegment(7, (CommitFile(PATH, len(data), 0, 7, 7),))
    rows: list[dict[str, object]] = read_files(store, segment, columns).to_pylist(maps_as_pydicts="strict")
    return rows


def many(line: str) -> str:
    """Enough lines of the usual kind for the fast way, and this one among them."""
    usual = [ADD.replace("/a", f"/{number:03d}") for number in range(40)]
    return "\n".join([*usual[:20], line, *usual[20:]]) + "\n"


@pytest.mark.parametrize("columns", list(FileColumns))
@pytest.mark.parametrize(
    "line",
    [
        ADD[:-1],
        ADD[:-20],
        ADD[1:],
        ADD + "}",
        ADD + " x",
        ADD + ADD[:10],
        ADD.replace(":12", ":"),
        ADD.replace(":12", ":1.2.3"),
        ADD.replace(":12", ":012"),
        ADD.replace(":12", ":+12"),
        ADD.replace(":12", ":1/2"),
        ADD.replace(":12", ":-"),
        ADD.replace("true", "truu"),
        ADD.replace("true", "frue"),
        ADD.replace('"size"', "size"),
        ADD.replace('":12', '"12'),
        ADD.replace("p=1/a", "p=1\\xa"),
        ADD.replace("p=1/a", "p=1\x01a"),
        ADD.replace('"path":"p=1/a",', ""),
        ADD.replace('"p=1/a"', "null"),
        ADD.replace('"p=1/a"', "5"),
        "[]",
        "nonsense",
        '{"add":5}',
        '{"commitInfo":{}',
    ],
)
def test_a_malformed_line_is_refused_with_its_place(line: str, columns: FileColumns) -> None:
    with pytest.raises(CommitMalformedError) as caught:
        read(many(line), columns)
    assert caught.value.details["path"] == PATH
    assert caught.value.details["line"] == 21


@pytest.mark.parametrize("place", [b"p=1/a", b"partitionValues", b"numRecords", b"commitInfo"])
@pytest.mark.parametrize("line", [ADD, ADD.replace(":", ": ")], ids=["cut", "parsed"])
def test_bytes_that_are_not_utf8_are_refused(line: str, place: bytes) -> None:
    text = many(line + '\n{"commitInfo":{}}').encode()
    with pytest.raises(CommitMalformedError):
        read(text.replace(place, place[:-1] + b"\xff", 1))


@pytest.mark.parametrize(
    "line",
    [
        ADD,
        ADD + "\r",
        "  " + ADD + "  ",
        ADD.replace(":", " : ").replace(" : \\", ":\\").replace('\\" : 3', '\\":3'),
        ADD.replace('{"add":', '{"txn":null,"add":'),
        ADD.replace('"size":12,', '"unknown":[1,{"add":{"path":"no"}}],"size":12,'),
        ADD.replace('"size":12,', '"x":1.5e3,"size":12,'),
        ADD.replace("p=1/a", "p\\u003d1\\/a"),
        ADD.replace('"size":12,', "").replace('"dataChange"', '"size":12,"dataChange"'),
        ADD.replace('"size":12,', '"tags":null,"deletionVector":null,"size":12,'),
    ],
)
def test_a_line_may_be_spelt_in_any_way(line: str) -> None:
    rows = read(many(line))
    (row,) = [row for row in rows if row["path"] == "p=1/a"]
    assert len(rows) == 41
    assert row["partitionValues"] == {"p": "1"}
    assert (row["size"], row["modificationTime"], row["dataChange"]) == (12, 1_700_000_000_000, True)
    assert row["stats"] == '{"numRecords":3}'


@pytest.mark.parametrize("columns", list(FileColumns))
def test_partition_values_may_lack_their_quotes(columns: FileColumns) -> None:
    rows = read(many(ADD.replace('"p":"1"', '"p":1').replace("p=1/a", "bare")), columns)
    (row,) = [row for row in rows if row["path"] == "bare"]
    assert row.get("partitionValues", {"p": "1"}) == {"p": "1"}


@pytest.mark.parametrize("mark", ["\x01", "\x00", "\x1f"])
def test_a_control_character_beside_other_alphabets_is_refused(mark: str) -> None:
    fine = many(ADD.replace("p=1/a", "p=1/ä\u2028"))
    assert read_shaped(fine.encode(), EVERYTHING) is not None
    assert "p=1/ä\u2028" in [row["path"] for row in read(fine)]
    with pytest.raises(CommitMalformedError):
        read(fine.replace("ä", f"ä{mark}"))


@pytest.mark.parametrize("line", ["null", " null", "null {}", "5", "[]", "[{}]"])
@pytest.mark.parametrize("before", ["", "\n", ADD + "\n", ADD.replace(":", ": ") + "\n"])
def test_a_line_that_is_not_an_object_is_refused(before: str, line: str) -> None:
    for behind in ("", "\n", "\n" + ADD.replace(":", ": ")):
        with pytest.raises(CommitMalformedError):
            read(before + line + behind)


def test_blank_lines_are_skipped() -> None:
    spaced = ADD.replace(":12", ": 12")
    assert len(read(f"\n \n{spaced}\n\t\n  {spaced.replace('/a', '/b')}\n\n")) == 2
    assert read(" \n\n\t\n") == []


def test_lines_of_one_writer_take_the_fast_way() -> None:
    assert read_shaped(many(ADD).encode(), EVERYTHING) is not None
    assert read_shaped(many(ADD).encode(), EVERY_TOMBSTONE_FIELD) is not None
    assert read_shaped(many(ADD.replace(",", " ,")).encode(), EVERYTHING) is None


def test_several_shapes_keep_the_order_of_the_log() -> None:
    plain = ADD.replace(',"stats":"{\\"numRecords\\":3}"', "")
    remove = '{"remove":{"path":"p=1/a","deletionTimestamp":5,"dataChange":true}}'
    assert read(f"{ADD}\n{remove}\n{plain}" + "\n")[0]["stats"] is None
    assert read(f"{plain}\n{remove}\n{ADD}" + "\n")[0]["stats"] == '{"numRecords":3}'
    assert read(f"{plain}\n{ADD}\n{remove}" + "\n") == []


def test_numbers_keep_every_digit() -> None:
    for number in (0, -1, 9_999_999, 10**17, 10**18 - 1, 2**63 - 1, -(2**63)):
        (row,) = read(ADD.replace(":12", f":{number}"))
        assert row["size"] == number
    with pytest.raises(CommitMalformedError):
        read(ADD.replace(":12", f":{2**63}"))


def test_text_is_unescaped_once() -> None:
    value = 'a"b\\"c\\\\d\n\u00fc}{'
    text = ADD.replace('"{\\"numRecords\\":3}"', msgspec.json.encode(value).decode())
    assert read(text)[0]["stats"] == value


def test_an_empty_commit_has_no_files() -> None:
    assert read("") == []
    assert read("\n \r\n") == []


def test_a_large_commit_is_read_in_pieces() -> None:
    store = MemoryStore()
    data = ("\n".join(ADD.replace("/a", f"/{number}") for number in range(40_000))).encode()
    store.put(PATH, data)
    segment = LogSegment(7, (CommitFile(PATH, len(data), 0, 7, 7),))
    paths = read_files(store, segment, FileColumns.PATHS).column("path").to_pylist()
    assert sorted(paths) == sorted(f"p=1/{number}" for number in range(40_000))
    store.put(PATH, data + b"\n{")
    segment = LogSegment(7, (CommitFile(PATH, len(data) + 2, 0, 7, 7),))
    with pytest.raises(CommitMalformedError) as caught:
        read_files(store, segment)
    assert caught.value.details["line"] == 40_001


def test_tombstones_newer_than_a_moment() -> None:
    store = MemoryStore()
    lines = [f'{{"remove":{{"path":"f{n}","deletionTimestamp":{n},"dataChange":true}}}}' for n in range(3)]
    lines.append('{"remove":{"path":"undated","dataChange":true}}')
    data = "\n".join(lines).encode()
    store.put(PATH, data)
    segment = LogSegment(7, (CommitFile(PATH, len(data), 0, 7, 7),))
    assert read_tombstones(store, segment).num_rows == 4
    assert read_tombstones(store, segment, 1).column("path").to_pylist() == ["f2"]


PIECES = (
    '"',
    "\\",
    '","partitionValues":{"p":"',
    '"},"size":',
    ',"stats":"',
    '"}}',
    "}",
    "{",
    "a",
    "p=1/",
    "\u00fc",
    "\n",
)
texts = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)


@st.composite
def spelt_adds(draw: st.DrawFn) -> str:
    """A line as one writer would spell it, whatever its texts hold; now and then damaged by a byte."""
    add = {
        "path": "p" + draw(texts),
        "partitionValues": {"p": draw(texts)},
        "size": draw(st.sampled_from([0, 7, 12, -3, 10**12])),
        "dataChange": draw(st.booleans()),
        "stats": draw(texts) + "-",
    }
    if draw(st.booleans()):
        add["tags"] = {"t": draw(texts)}
    line = msgspec.json.encode({draw(st.sampled_from(["add", "add", "add", "remove"])): add}).decode()
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(line) - 1))
        line = (
            line[:at]
            + draw(st.sampled_from(['"', "\\", "", "}", ",", "0", " "]))
            + line[at + draw(st.integers(0, 1)) :]
        )
    return line


@given(st.lists(spelt_adds(), min_size=1, max_size=12), st.sampled_from([EVERYTHING, EVERY_TOMBSTONE_FIELD]))
def test_cut_lines_are_what_reading_line_by_line_gives(lines: list[str], projection: Projection) -> None:
    data = ("\n".join(lines) + "\n").encode()
    try:
        exact = read_lines(data, PATH, 1, projection)
    except CommitMalformedError as error:
        expected_line = error.details["line"]
        with pytest.raises(CommitMalformedError) as caught:
            parse_block(make_block([(data, 1, PATH)]), projection)
        assert caught.value.details["line"] == expected_line
        return
    (found,) = parse_block(make_block([(data, 1, PATH)]), projection)
    expected = exact.source.take(np.flatnonzero(valid_rows(getattr(exact, projection.action))))
    if found.lines is None:
        rows, order = np.flatnonzero(valid_rows(getattr(found, projection.action))), np.arange(len(expected))
    else:
        order = np.argsort(found.lines[0 if projection.action == "add" else 1])
        rows = np.arange(len(order))
    assert _without_defaults(found.source.take(rows).take(from_numbers(order))) == _without_defaults(expected)


def _without_defaults(array: pa.StructArray) -> list[dict[str, object]]:
    """The rows, where a field that reading line by line sets when it is missing counts as missing."""
    return [{name: value or None for name, value in row.items()} for row in array.to_pylist()]


SAME_WIDTH = ADD.replace("p=1/a", 'p=1/a\\"b')


@pytest.mark.parametrize(
    "line",
    [
        SAME_WIDTH.replace('a\\"b', 'a""b'),
        SAME_WIDTH.replace('a\\"b', 'ab\\"'[:-1]),
        SAME_WIDTH.replace('{\\"numRecords', '{""numRecords'),
        SAME_WIDTH.replace('"partitionValues"', '"partitionvalues"').replace('/a\\"b', '/ab""'),
    ],
)
def test_a_quote_in_a_slot_of_the_right_width_is_found(line: str) -> None:
    with pytest.raises(CommitMalformedError):
        read(f"{SAME_WIDTH}\n{line}\n{SAME_WIDTH.replace('/a', '/c')}\n")


def test_both_ways_to_cut_agree() -> None:
    names = ["a", "bcd", 'e\\"f', "g" * 30, ""]
    lines = [ADD.replace("p=1/a", f"p=1/{name}").replace(":12", f":1{len(name)}") for name in names]
    block = locate(("\n".join(lines) + "\n").encode())
    shape = find_shape(lines[0].encode())
    assert block is not None
    assert shape is not None
    for order in ([0, 1, 2, 3, 4], [4, 2]):
        (by_width, fits), (by_quote, fit) = (
            cutter.cut(np.array(order), shape) for cutter in (WidthCutter(block), QuoteCutter(block))
        )
        assert fits.all()
        assert fit.all()
        for found, expected in zip(by_width, by_quote, strict=True):
            assert [each.tolist() for each in found] == [each.tolist() for each in expected]
