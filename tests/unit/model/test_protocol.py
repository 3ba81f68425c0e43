"""Protocols: well-formed or refused, their JSON, and the short form people write."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from deltaresolver.errors import ProtocolMalformedError
from deltaresolver.model import Protocol

LISTED = Protocol(3, 7, frozenset(("columnMapping",)), frozenset(("columnMapping", "rowTracking")))


@pytest.mark.parametrize("protocol", [Protocol(1, 2), Protocol.of(2, 7, (), ("columnMapping",)), LISTED])
def test_json_and_pickle_keep_a_protocol(protocol: Protocol) -> None:
    assert Protocol.from_json(protocol.to_json()) == protocol
    assert pickle.loads(pickle.dumps(protocol)) == protocol == copy.deepcopy(protocol)
    assert len({protocol, Protocol.from_json(protocol.to_json())}) == 1


def test_the_short_form_names_versions_and_lists() -> None:
    assert str(Protocol(1, 2)) == "1,2"
    assert str(Protocol.of(2, 7, (), ("b", "a"))) == "2,7,None,[a,b]"
    assert str(LISTED) == "3,7,[columnMapping],[columnMapping,rowTracking]"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "not NoneType"),
        ([], "not list"),
        ({}, "minReaderVersion must be a whole number, found nothing"),
        ({"minReaderVersion": True, "minWriterVersion": 2}, "found True"),
        ({"minReaderVersion": 1.0, "minWriterVersion": 2}, "found 1.0"),
        ({"minReaderVersion": "1", "minWriterVersion": 2}, "found '1'"),
        ({"minReaderVersion": -1, "minWriterVersion": 2}, "found -1"),
        ({"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": "a"}, "writerFeatures must be a list"),
        ({"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": [1]}, "writerFeatures must be a list"),
        ({"minReaderVersion": 1, "minWriterVersion": 2, "writerFeatures": []}, "may not have"),
        ({"minReaderVersion": 1, "minWriterVersion": 7}, "needs"),
        ({"minReaderVersion": 3, "minWriterVersion": 6, "readerFeatures": []}, "cannot list writer features"),
    ],
)
def test_what_is_not_a_protocol_is_refused_with_a_fix(value: Any, words: str) -> None:
    with pytest.raises(ProtocolMalformedError) as caught:
        Protocol.from_json(value)
    assert words in caught.value.message
    assert caught.value.fix


def test_reader_lists_without_writer_lists_are_refused_as_delta_spark_does() -> None:
    with pytest.raises(ProtocolMalformedError) as caught:
        Protocol.of(3, 4)
    assert caught.value.delta_condition == "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE"
