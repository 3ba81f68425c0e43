"""`_last_checkpoint`: its checksum is the specification's, and it never points back."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from deltaresolver.log.checkpoint.last_checkpoint import find_hinted_version
from deltaresolver.log.checkpoint.write_last_checkpoint import (
    LastCheckpoint,
    canonical_form,
    json_checksum,
    write_last_checkpoint,
)
from deltaresolver.log.names import LAST_CHECKPOINT
from deltaresolver.log.storage.memory_store import MemoryStore

SAMPLE = json.loads(
    """{"k0":"'v 0'", "checksum": "adsaskfljadfkjadfkj", "k1":{"k2": 2, "k3": ["v3", [1, 2],
    {"k4": "v4", "k5": ["v5", "v6", "v7"]}]}}"""
)


def test_the_specifications_sample_has_the_specifications_checksum() -> None:
    assert json_checksum(SAMPLE) == "6a92d155a59bf2eecbd4b4ec7fd1f875"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": 10, "b": {"y": None, "x": "https://delta.io"}}, '"a"=10,"b"+"x"="https%3A%2F%2Fdelta.io","b"+"y"=null'),
        ({"a": [None, "hi ho", 2.71]}, '"a"+0=null,"a"+1="hi%20ho","a"+2=2.71'),
        ({"k1": "v1", "checksum": "<anything>", "k3": 23}, '"k1"="v1","k3"=23'),
        ({"é": True, "~-._": False}, '"%C3%A9"=true,"~-._"=false'),
        ({}, ""),
    ],
)
def test_the_canonical_form_is_that_of_the_specification(value: dict[str, Any], expected: str) -> None:
    assert canonical_form(value) == expected
    assert json_checksum(value) == hashlib.md5(expected.encode()).hexdigest()


def test_a_nested_checksum_counts() -> None:
    assert canonical_form({"a": {"checksum": "x"}}) == '"a"+"checksum"="x"'


def test_the_hint_says_what_the_checkpoint_holds() -> None:
    store = MemoryStore()
    assert write_last_checkpoint(store, LastCheckpoint(7, 12, 345, 9, part_count=2))
    value = json.loads(store.read(LAST_CHECKPOINT))
    assert value.pop("checksum") == json_checksum(value)
    assert value == {"version": 7, "size": 12, "parts": 2, "sizeInBytes": 345, "numOfAddFiles": 9}


@pytest.mark.parametrize(("first", "second", "left"), [(3, 5, 5), (5, 3, 5), (5, 5, 5)])
def test_the_hint_never_points_back(first: int, second: int, left: int) -> None:
    store = MemoryStore()
    for table_version in (first, second):
        write_last_checkpoint(store, LastCheckpoint(table_version, 1, 1, 1))
    assert find_hinted_version(store) == left


def test_a_torn_hint_is_replaced() -> None:
    store = MemoryStore()
    store.put(LAST_CHECKPOINT, b'{"vers')
    assert write_last_checkpoint(store, LastCheckpoint(0, 1, 1, 1))
    assert find_hinted_version(store) == 0
