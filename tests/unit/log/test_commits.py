"""A commit's bytes: actions in order, or an error that names the line and the reason."""

from __future__ import annotations

import pytest

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.commits import decode_commit
from deltaresolver.log.find_actions import find_actions
from deltaresolver.model.actions import AddFile, CommitInfo, RemoveFile, UnknownAction
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from tests.logs import PROTOCOL, add, info, lines, metadata, remove

PATH = "_delta_log/00000000000000000003.json"


def test_actions_come_in_the_order_of_the_lines() -> None:
    actions = decode_commit(lines([info(), PROTOCOL, metadata(), add("a"), remove("b")]), PATH)
    assert [type(action) for action in actions] == [CommitInfo, Protocol, Metadata, AddFile, RemoveFile]


@pytest.mark.parametrize(
    "data",
    [
        b'{"add":{"path":"a"}}\n{"remove":{"path":"b"}}',
        b'{"add":{"path":"a"}}\r\n{"remove":{"path":"b"}}\r\n',
        b'\n\n{"add":{"path":"a"}}\n   \n\t{"remove":{"path":"b"}}  \n\n',
        b'\xef\xbb\xbf{"add":{"path":"a"}}\n{"remove":{"path":"b"}}\n',
        b'{"add":{"path":"a"},"remove":null}\n{"add":null,"remove":{"path":"b"}}\n',
        b'{ "add" : { "path" : "a" } }\n{"remove":{"path":"b"}}\n{}\n',
        b'{"add":{"path":"a"},"remove":{"path":"b"}}',
    ],
)
def test_harmless_oddities_change_nothing(data: bytes) -> None:
    assert decode_commit(data, PATH) == [AddFile("a"), RemoveFile("b")]


def test_an_empty_commit_holds_nothing() -> None:
    assert decode_commit(b"", PATH) == []
    assert decode_commit(b"\n \n", PATH) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"add":{"path":"a"', "not JSON"),
        (b'{"add":{"path":"a"}', "not JSON"),
        (b'{"add":{"path":"a"}}{"add":{"path":"b"}}', "not JSON"),
        (b'{"add":{"path":"\xff"}}', "not JSON"),
        (b'{"add":{"path":"a"}},', "not JSON"),
        (b"\x00\x00\x00", "not JSON"),
        (b"\xff\xfe{\x00", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"null", "instead of an object"),
        (b"[]", "instead of an object"),
        (b"7", "instead of an object"),
        (b'{"add":{}}', "add.path must be present"),
        (b'{"add":{"path":"a","size":"big"}}', "add.size must be a whole number"),
        (b'{"protocol":{"minReaderVersion":"1"}}', "minReaderVersion"),
        (b'{"metaData":{"id":7}}', "metaData.id"),
        (b'{"txn":{"appId":"x"}}', "txn.version must be present"),
    ],
)
def test_damage_is_reported_with_line_and_reason(line: bytes, reason: str) -> None:
    with pytest.raises(CommitMalformedError) as caught:
        decode_commit(lines([add("a")]) + line + b"\n" + lines([add("z")]), PATH)
    error = caught.value
    assert reason in error.message
    assert f"Line 2 of {PATH}" in error.message
    assert error.details["line"] == 2


def test_every_torn_end_of_a_commit_is_noticed_or_ends_between_lines() -> None:
    whole = lines([add("a"), remove("b"), add("c", stats='{"numRecords":1}')])
    ends = {0} | {index + 1 for index, byte in enumerate(whole) if byte == ord("\n")}
    ends |= {end - 1 for end in ends if end}
    for length in range(len(whole)):
        if length in ends:
            decode_commit(whole[:length], PATH)
        else:
            with pytest.raises(CommitMalformedError):
                decode_commit(whole[:length], PATH)


@pytest.mark.parametrize(
    ("twice", "name"), [([PROTOCOL, PROTOCOL], "protocol"), ([metadata(), metadata(table_id="other")], "metaData")]
)
def test_a_second_protocol_or_metadata_is_refused(twice: list[dict[str, object]], name: str) -> None:
    data = lines([twice[0], add("a"), twice[1]])
    with pytest.raises(CommitMalformedError, match=f"second {name}"):
        decode_commit(data, PATH)
    with pytest.raises(CommitMalformedError, match=f"2 {name} actions"):
        find_actions(data, (name,), PATH)


def test_unknown_actions_are_kept_beside_known_ones() -> None:
    data = b'{"some_new_action":{"a":1}}\n{"add":{"path":"a"},"another":[1]}\n'
    assert decode_commit(data, PATH) == [
        UnknownAction("some_new_action", {"a": 1}),
        AddFile("a"),
        UnknownAction("another", [1]),
    ]


def test_only_lines_with_a_wanted_action_are_decoded() -> None:
    data = b'{"add":{"path":"torn\n' + lines([PROTOCOL])
    assert list(find_actions(data, ("protocol", "metaData"), PATH)) == ["protocol"]


@pytest.mark.parametrize(
    "decoy",
    [
        add("a", stats='{"minValues":{"protocol":"x"}}'),
        add("a", partitionValues={"protocol": "metaData"}),
        add("protocol", tags={"a": "protocol"}),
        info(operationParameters={"protocol": {"minReaderVersion": 9}}),
    ],
)
def test_the_word_protocol_elsewhere_is_not_a_protocol(decoy: dict[str, object]) -> None:
    assert find_actions(lines([decoy]), ("protocol", "metaData"), PATH) == {}
    found = find_actions(lines([decoy, PROTOCOL, decoy]), ("protocol", "metaData"), PATH)
    assert found == {"protocol": [Protocol.of(1, 2)]}


@pytest.mark.parametrize(
    "line",
    [
        b' {\t"protocol" : {"minReaderVersion":1,"minWriterVersion":2} }',
        b'{"x":1,"protocol":{"minReaderVersion":1,"minWriterVersion":2}}',
        b'\xef\xbb\xbf{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}',
    ],
)
def test_a_protocol_is_found_however_its_line_is_spelt(line: bytes) -> None:
    assert find_actions(line + b"\r\n", ("protocol",), PATH) == {"protocol": [Protocol.of(1, 2)]}
