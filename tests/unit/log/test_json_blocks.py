"""Commit text to rows: every way of spelling gives the same, and nothing malformed gets through."""

from __future__ import annotations

import msgspec
import pytest

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.columnar import FileColumns, read_files, read_tombstones
from deltaresolver.log.memory_store import MemoryStore
from deltaresolver.log.projection import EVERY_TOMBSTONE_FIELD, project_adds
from deltaresolver.log.segment import CommitFile, LogSegment
from deltaresolver.log.shaped_lines import read_shaped

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


def test_bytes_that_are_no_utf8_are_refused() -> None:
    with pytest.raises(CommitMalformedError):
        read(many(ADD).encode().replace(b"p=1/a", b"p=1/\xff"))


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
