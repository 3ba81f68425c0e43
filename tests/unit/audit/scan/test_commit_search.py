"""Commits searched many at once give what they give one by one, whatever is in them and however many there are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.audit.scan import commit_search
from deltaresolver.audit.scan.commit_search import MAX_HELD, CommitSearch
from deltaresolver.log.names import commit_path
from deltaresolver.log.segment import CommitFile
from tests.logs import PROTOCOL, add, metadata, remove

FEED = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 4}}
VECTORS = {
    "protocol": {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["deletionVectors"],
    }
}
BOTH = {"protocol": {**VECTORS["protocol"], "writerFeatures": ["deletionVectors", "changeDataFeed"]}}
VECTOR = {"storageType": "u", "pathOrInlineDv": "x" * 20, "sizeInBytes": 1, "cardinality": 1}
MARKED = add("marked", deletionVector=VECTOR)
CHANGES = {"cdc": {"path": "c", "partitionValues": {}, "size": 1, "dataChange": False}}
TOLD_DEEPER = {"commitInfo": {"operationParameters": {"protocol": 1, "metaData": {}}}}
ACTIONS = [PROTOCOL, FEED, VECTORS, BOTH, metadata(), add("a"), remove("a"), MARKED, CHANGES, TOLD_DEEPER]
CUT_OFF = [b'\n{"add":{"pa', b'\n{"proto', b'col":{}}']
ODD_ENDS = [b"", b"\n", b"\n\n", *CUT_OFF, b'\n{"protocol":7}', b'\n{"metaData":{}}\n', b"\xff"]


def spelt(actions: list[dict[str, Any]], end: bytes) -> bytes:
    return "\n".join(json.dumps(each, separators=(",", ":")) for each in actions).encode() + end


COMMITS = st.lists(
    st.builds(spelt, st.lists(st.sampled_from(ACTIONS), max_size=4), st.sampled_from(ODD_ENDS)), max_size=12
)


def searched(commits: list[bytes], *, one_by_one: bool, whole: bool = False) -> tuple[object, ...]:
    search = CommitSearch(whole=whole)
    for version, data in enumerate(commits):
        search.look(CommitFile(commit_path(version), len(data), 0, version, version), data)
        if one_by_one:
            search.finish()
    search.finish()
    problems = [str(search.problem_from(version)) for version in range(len(commits) + 1)]
    state = [(one.file.path, one.info, one.protocol, one.metadata) for one in search.state_commits]
    saw = (search.saw_deletion_vector, search.saw_change_file)
    return state, sorted(search.cut_off), saw, search.looked_at, search.held, problems


@settings(max_examples=200, deadline=None)
@given(COMMITS, st.booleans(), st.sampled_from([1, 100, 1 << 15]))
def test_searching_many_commits_at_once_equals_searching_one_by_one(
    commits: list[bytes], whole: bool, at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commit_search, "_SEARCHED_AT_ONCE", at_once)
        assert searched(commits, one_by_one=False, whole=whole) == searched(commits, one_by_one=True, whole=whole)


@pytest.mark.parametrize(
    ("before", "after", "seen"),
    [
        ([PROTOCOL, MARKED], [VECTORS], (False, False)),
        ([PROTOCOL], [VECTORS, MARKED], (True, False)),
        ([VECTORS], [MARKED], (True, False)),
        ([VECTORS], [PROTOCOL, MARKED], (False, False)),
        ([FEED], [CHANGES, MARKED], (False, True)),
        ([BOTH, MARKED], [PROTOCOL, CHANGES], (True, False)),
    ],
)
def test_only_commits_made_under_a_protocol_with_the_feature_count(
    before: list[dict[str, Any]], after: list[dict[str, Any]], seen: tuple[bool, bool]
) -> None:
    found = searched([spelt(before, b"\n"), spelt(after, b"\n")], one_by_one=False)
    assert found[2] == seen


def test_a_key_is_never_found_across_the_border_of_two_commits() -> None:
    found = searched([b'{"proto', b'col":{"minReaderVersion":1,"minWriterVersion":2}}'], one_by_one=False)
    assert found[0] == []


def test_a_large_commit_is_not_copied_and_of_all_only_the_newest_are_held() -> None:
    search = CommitSearch()
    large = spelt([add("a")] * 4000, b"\n")
    for version, data in enumerate([spelt([PROTOCOL], b"\n"), large, spelt([add("b")], b"\n")]):
        search.look(CommitFile(commit_path(version), len(data), 0, version, version), data)
    search.finish()
    assert len(large) > MAX_HELD
    assert [one.file.first_version for one in search.state_commits] == [0]
    assert list(search.held) == [commit_path(2)]
