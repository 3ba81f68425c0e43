"""Files counted by kind are those that are counted one by one, sizes that nobody wrote included."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from deltaresolver.log.columnar.file_kinds import count_kinds

VECTOR = pa.struct(
    [
        ("storageType", pa.string()),
        ("pathOrInlineDv", pa.string()),
        ("offset", pa.int32()),
        ("sizeInBytes", pa.int32()),
        ("cardinality", pa.int64()),
        ("maxRowIndex", pa.int64()),
    ]
)
SCHEMA = pa.schema([("path", pa.string()), ("size", pa.int64()), ("deletionVector", VECTOR), ("baseRowId", pa.int64())])
VALUE = {"storageType": "u", "pathOrInlineDv": "x", "offset": 1, "sizeInBytes": 2, "cardinality": 3}
ROWS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 2**40)), st.sampled_from([None, VALUE]), st.sampled_from([None, 0, 7])
    ),
    max_size=12,
)


@given(ROWS, st.integers(1, 5))
@example([], 1)
def test_every_kind_has_its_files_and_its_first_one(rows: list[tuple[Any, Any, Any]], chunk: int) -> None:
    files = [
        {"path": f"{place}", "size": size, "deletionVector": vector, "baseRowId": row_id}
        for place, (size, vector, row_id) in enumerate(rows)
    ]
    table = pa.concat_tables(
        [pa.Table.from_pylist(files[start : start + chunk], SCHEMA) for start in range(0, len(files), chunk)]
        or [SCHEMA.empty_table()]
    )
    expected: dict[tuple[bool, bool], list[dict[str, Any]]] = {}
    for file in files:
        kind = (file["deletionVector"] is not None, file["baseRowId"] is not None)
        expected.setdefault(kind, []).append(file)
    found = count_kinds(table)
    assert [(one.is_marked, one.has_row_ids) for one in found] == sorted(expected)
    for one in found:
        of_kind = expected[one.is_marked, one.has_row_ids]
        assert (one.files, one.size) == (len(of_kind), sum(file["size"] or 0 for file in of_kind))
        assert one.first.path == of_kind[0]["path"]
        assert (one.first.deletion_vector is not None) is one.is_marked
        assert (one.first.base_row_id is not None) is one.has_row_ids
