"""A deletion vector that is written is read back as the same rows."""

from __future__ import annotations

import uuid

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.log.deletion_vector_encoding import vector_file
from deltaresolver.log.deletion_vectors import read_deletion_vectors
from deltaresolver.log.storage.memory_store import MemoryStore

POSITIONS = st.sets(st.integers(0, 200_000) | st.integers(2**32 - 5, 2**32 + 5), min_size=1, max_size=60)
DENSE = st.integers(0, 70_000).map(lambda start: set(range(start, start + 9_000)))


@given(st.lists(POSITIONS | DENSE, min_size=1, max_size=3), st.uuids())
def test_a_written_vector_is_read_back(sets: list[set[int]], identity: uuid.UUID) -> None:
    rows = [np.array(sorted(each), np.int64) for each in sets]
    file = vector_file(rows, identity)
    store = MemoryStore()
    store.put(file.path, file.data)
    found = read_deletion_vectors(store, file.vectors)
    for vector, wanted in zip(file.vectors, rows, strict=True):
        assert found[vector.unique_id].tolist() == wanted.tolist()
