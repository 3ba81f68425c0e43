"""Finding the commits that came first, on stores that show a file later than they refuse it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deltaresolver.errors import LogGapError
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.transaction.conflicts.winners import list_winners


class LateListing(MemoryStore):
    """A store whose listings leave out some commits."""

    def __init__(self, *unlisted: int) -> None:
        super().__init__()
        self.unlisted = {commit_path(one) for one in unlisted}

    def list_from(self, path: str) -> Iterator[StoredFile]:
        return (file for file in super().list_from(path) if file.path not in self.unlisted)


def paths(store: MemoryStore, first: int) -> list[str]:
    return [file.path for file in list_winners(store, first)]


def test_a_commit_that_no_listing_shows_yet_is_read() -> None:
    store = LateListing(5, 6)
    store.put_if_absent(commit_path(5), b"{}\n")
    assert paths(store, 5) == [commit_path(5)]
    store.put_if_absent(commit_path(6), b"{}\n")
    store.put_if_absent(commit_path(7), b"{}\n")
    assert paths(store, 5) == [commit_path(5), commit_path(6), commit_path(7)]


def test_no_commit_is_found_where_reads_come_late_as_well() -> None:
    assert list_winners(MemoryStore(), 5) == []


def test_a_commit_that_is_not_there_though_a_later_one_is_leaves_a_gap() -> None:
    store = MemoryStore()
    store.put_if_absent(commit_path(7), b"{}\n")
    with pytest.raises(LogGapError) as caught:
        list_winners(store, 6)
    assert caught.value.details["missing"] == [6]
