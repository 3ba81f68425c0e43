"""Log compactions: the last action about everything, as it was spelt."""

from __future__ import annotations

import json

import pytest

from deltaresolver.errors import CompactionRangeError
from deltaresolver.log.compactions import is_reconciled
from deltaresolver.log.listing import list_log
from deltaresolver.log.upkeep.write_compaction import compact_log
from tests.logs import LogBuilder, add, domain, info, remove, txn


def test_the_last_word_stays_and_its_spelling_too() -> None:
    builder = LogBuilder.started(add("f1"))
    builder.raw_commit(b'{"commitInfo":{}}\n{ "add" : {"path":"f2","size":1, "new field":[1]} }\n').commit(
        remove("f1"), txn("a", 1), domain("d", "1"), info(), {"cdc": {"path": "c"}}
    )
    builder.commit(add("f3"), txn("a", 2), domain("d", removed=True), {"odd": 1})
    builder.commit({"odd": 2}, remove("f3"))
    path = compact_log(builder.store, 1, 4)
    assert path == "_delta_log/00000000000000000001.00000000000000000004.compacted.json"
    text = builder.store.read(path).splitlines()
    assert b'{ "add" : {"path":"f2","size":1, "new field":[1]} }' in text
    assert [json.loads(line) for line in text] == [
        txn("a", 2),
        domain("d", removed=True),
        {"odd": 1},
        {"odd": 2},
        json.loads(text[4]),
        remove("f1"),
        remove("f3"),
    ]
    (file,) = list_log(builder.store).compactions
    assert is_reconciled(builder.store, file)


def test_a_line_with_two_actions_is_taken_apart() -> None:
    builder = LogBuilder.started().raw_commit(json.dumps({**add("a"), **txn("x", 1)}).encode()).commit(remove("a"))
    lines = [json.loads(line) for line in builder.store.read(compact_log(builder.store, 1, 2)).splitlines()]
    assert lines == [txn("x", 1), remove("a")]


@pytest.mark.parametrize(("first", "last"), [(1, 1), (2, 1), (-1, 1), (1, 9), (0, 2)])
def test_a_range_without_two_commits_in_a_row_is_refused(first: int, last: int) -> None:
    builder = LogBuilder.started().commits(4).forget(0)
    with pytest.raises(CompactionRangeError) as raised:
        compact_log(builder.store, first, last)
    assert (raised.value.details["first"], raised.value.details["last"]) == (first, last)


def test_a_compaction_that_is_there_already_is_kept() -> None:
    builder = LogBuilder.started().commits(3)
    path = compact_log(builder.store, 0, 2)
    builder.put(path, b"{}")
    assert compact_log(builder.store, 0, 2) == path
    assert builder.store.read(path) == b"{}"
