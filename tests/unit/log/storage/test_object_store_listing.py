"""Listings of one folder out of flat keys, sorted by the store or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import StorageUnsupportedError
from deltaresolver.log.storage import object_listing
from deltaresolver.log.storage.object_listing import list_sorted, list_unsorted

stores = pytest.importorskip("obstore.store", reason="obstore is missing: run script/bootstrap")

SEGMENTS = st.sampled_from(["0", "00", "1.json", "_sidecars", "_last", "a", "a0", "a-", "é", "..x"])
KEYS = st.lists(SEGMENTS, min_size=1, max_size=3).map("/".join)


def expected(keys: set[str], prefix: str, path: str) -> list[str]:
    folder = (prefix + path).rpartition("/")[0]
    return sorted(key.removeprefix(prefix) for key in keys if key.rpartition("/")[0] == folder and key >= prefix + path)


@pytest.mark.parametrize("page", [1, 2, 3, 1000])
@given(names=st.sets(KEYS, max_size=20), path=KEYS, prefix=st.sampled_from(["", "lake/table/"]))
def test_sorted_and_unsorted_agree_with_a_filter_over_all_keys(
    page: int, names: set[str], path: str, prefix: str
) -> None:
    client: Any = stores.MemoryStore()
    keys = {prefix + name for name in names}
    for key in keys | {"lake/table2/1", "z/1"}:
        client.put(key, b"x")
    want = expected(keys | {"lake/table2/1", "z/1"}, prefix, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(object_listing, "_PAGE", page)
        assert [file.path for file in list_sorted(client, prefix, path)] == want
        assert [file.path for file in list_unsorted(client, prefix, path)] == want


def test_a_store_that_does_not_sort_is_found_out(tmp_path: Path) -> None:
    client: Any = stores.LocalStore(tmp_path)
    names = [f"log/{number:03}" for number in range(200)]
    for name in names:
        client.put(name, b"x")
    listed = [found["path"] for page in client.list("log") for found in page]
    if listed == sorted(listed):
        pytest.skip("this file system lists in order, and another one cannot be installed")
    assert [file.path for file in list_unsorted(client, "", "log/")] == names
    with pytest.raises(StorageUnsupportedError) as raised:
        list(list_sorted(client, "", "log/"))
    assert "AWS_S3_EXPRESS" in raised.value.fix
