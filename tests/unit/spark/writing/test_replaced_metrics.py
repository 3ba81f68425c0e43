"""The metrics in history of a write that replaced rows by a condition."""

from __future__ import annotations

import attrs

from deltaresolver.model.actions import ChangeFile, DeletionVector
from deltaresolver.spark.writing.statistics.replaced_metrics import replaced_metrics
from deltaresolver.transaction.commit.removed_files import removal
from tests.transactions import NOW_MS, add

VECTOR = DeletionVector("i", "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", 6, cardinality=3, size_in_bytes=40)


def test_files_written_again_count_as_written_and_their_rows_as_copied() -> None:
    before, again, new = add("old", rows=10), add("kept", rows=4), add("new", rows=2)
    assert replaced_metrics([new], [removal(before, NOW_MS), again]) == {
        "numFiles": "2",
        "numOutputBytes": "200",
        "numRemovedFiles": "1",
        "numRemovedBytes": "100",
        "numAddedChangeFiles": "0",
        "numOutputRows": "6",
        "numCopiedRows": "4",
        "numDeletedRows": "6",
    }


def test_nothing_removed_counts_as_zero_rows_and_not_as_unknown() -> None:
    found = replaced_metrics([add("new", rows=2)], [])
    assert (found["numDeletedRows"], found["numCopiedRows"], found["numOutputRows"]) == ("0", "0", "2")


def test_a_file_that_is_only_marked_is_written_and_not_removed() -> None:
    before = add("f", rows=10)
    marked = attrs.evolve(before, deletion_vector=VECTOR)
    change = ChangeFile("c", {"p": "a"}, 7)
    found = replaced_metrics([], [removal(before, NOW_MS), marked, change])
    assert (found["numFiles"], found["numRemovedFiles"], found["numAddedChangeFiles"]) == ("1", "0", "1")
    assert (found["numDeletedRows"], found["numCopiedRows"]) == ("3", "7")


def test_numbers_that_statistics_do_not_have_are_left_out() -> None:
    found = replaced_metrics([add("new")], [removal(add("old", rows=None), NOW_MS), add("kept")])
    assert "numDeletedRows" not in found
    assert found["numCopiedRows"] == "10"
    assert "numOutputRows" not in replaced_metrics([add("new", rows=None)], [])
