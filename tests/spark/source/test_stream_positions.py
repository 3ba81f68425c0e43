"""Offsets and options of streams, without Spark."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from deltaresolver.errors import ReadOptionInvalidError, StreamOffsetInvalidError
from deltaresolver.spark.source.source_options import parse_source_options
from deltaresolver.spark.source.stream.offset import StreamOffset
from deltaresolver.spark.source.stream.options import parse_stream_options

_OFFSETS = some.builds(StreamOffset, some.integers(0, 9), some.integers(-1, 9), some.booleans(), some.just("t"))


@given(_OFFSETS)
def test_an_offset_survives_the_checkpoint(offset: StreamOffset) -> None:
    assert StreamOffset.of_json(json.loads(json.dumps(offset.to_json())), "t") == offset


@given(_OFFSETS, _OFFSETS)
def test_offsets_are_in_the_order_of_commits(one: StreamOffset, other: StreamOffset) -> None:
    assert (one < other) == ((one.table_version, one.index) < (other.table_version, other.index))
    assert one < one.after_version()


@pytest.mark.parametrize("found", [{}, {"tableVersion": "x"}, {"reservoirVersion": 3}])
def test_what_is_not_an_offset_is_refused(found: dict[str, object]) -> None:
    with pytest.raises(StreamOffsetInvalidError):
        StreamOffset.of_json(found, "t")


def test_options_are_known_in_any_case() -> None:
    asked = parse_stream_options({"MAXFILESPERTRIGGER": "3", "maxbytespertrigger": "2k", "StartingVersion": "Latest"})
    assert (asked.most_files, asked.most_bytes, asked.starting_version) == (3, 2048, "latest")
    sorted_out = parse_source_options(
        {"Path": "/t", "storage.Region": "x", "PartitionBy": '["a b"]', "mergeSchema": "true"}
    )
    assert sorted_out.storage == {"region": "x"}
    assert sorted_out.partition_by == ("a b",)
    assert sorted_out.others == {"mergeSchema": "true"}


@pytest.mark.parametrize(
    "options",
    [
        {"maxFilesPerTrigger": "0"},
        {"maxBytesPerTrigger": "much"},
        {"startingVersion": "-1"},
        {"startingVersion": "1", "startingTimestamp": "2024-01-01"},
        {"versionAsOf": "3"},
        {"ignoreDeletes": "perhaps"},
        {"excludeRegex": "part-(["},
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(ReadOptionInvalidError):
        parse_stream_options(options)


def test_a_stream_without_a_path_is_refused() -> None:
    with pytest.raises(ReadOptionInvalidError, match="needs the path"):
        parse_source_options({})
