"""Picking actions out of bytes finds exactly what decoding the whole commit finds, however its JSON is spelt."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.byte_search import contains, contains_any, find_each
from deltaresolver.log.commits import decode_commit
from deltaresolver.log.find_actions import find_actions
from deltaresolver.model.actions import Action, write_action
from tests.laws.random_logs import commit_actions

NAMES = ("protocol", "metaData", "txn", "domainMetadata", "commitInfo")
PATH = "_delta_log/00000000000000000000.json"


def spelt(actions: list[dict[str, Any]], draw: st.DataObject) -> bytes:
    newline = draw.draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
    separators = draw.draw(st.sampled_from([(",", ":"), (" , ", " : ")]))
    together = draw.draw(st.booleans())
    texts = []
    for action in actions:
        line = {"unknown": {"protocol": 1}, **action} if together else action
        texts.append(json.dumps(line, separators=separators))
    return newline.join(texts).encode()


def by_name(actions: list[Action]) -> dict[str, list[Action]]:
    found: dict[str, list[Action]] = {}
    for action in actions:
        name = next(iter(write_action(action)))
        if name in NAMES:
            found.setdefault(name, []).append(action)
    return found


@settings(max_examples=200, deadline=None)
@given(commit_actions(), st.data())
def test_the_search_finds_what_decoding_finds(actions: list[dict[str, Any]], data: st.DataObject) -> None:
    text = spelt(actions, data)
    assert find_actions(text, NAMES, PATH) == by_name(decode_commit(text, PATH))


@settings(max_examples=200, deadline=None)
@given(commit_actions(first=True), st.data())
def test_a_changed_byte_gives_an_error_or_the_actions_that_the_bytes_now_hold(
    actions: list[dict[str, Any]], data: st.DataObject
) -> None:
    text = bytearray(spelt(actions, data))
    for _ in range(data.draw(st.integers(1, 3))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    try:
        decoded = by_name(decode_commit(bytes(text), PATH))
    except CommitMalformedError:
        return
    assert find_actions(bytes(text), NAMES, PATH) == decoded


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=40), st.binary(min_size=1, max_size=4), st.integers(0, 40_000))
def test_search_agrees_with_python_on_small_and_large(part: bytes, needle: bytes, size: int) -> None:
    data = b"\0x" * size + part
    assert contains(data, needle) is (needle in data)
    assert list(find_each(data, needle)) == [found.start() for found in re.finditer(re.escape(needle), data)]
    assert contains_any(data, [b"\xff\xfe\xfd", needle]) is (needle in data or b"\xff\xfe\xfd" in data)
