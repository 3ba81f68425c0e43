"""With statistics taken into account fewer commits conflict, and still nobody misses a row it should have read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import ConcurrentModificationError
from deltaresolver.log.log import DeltaLog
from deltaresolver.model.actions import AddFile
from deltaresolver.transaction import operation as operations
from tests.transactions import Scene, add, remove

NUMBERS = st.integers(0, 20)
ROWS = st.lists(st.none() | NUMBERS, min_size=1, max_size=4)
FILES = st.tuples(st.sampled_from("ab"), ROWS, st.booleans())
"""Partition, the values of id, and whether the file has statistics."""


def file_of(path: str, partition: str, rows: list[int | None], with_stats: bool) -> AddFile:
    known = [row for row in rows if row is not None]
    bounds = f',"minValues":{{"id":{min(known)}}},"maxValues":{{"id":{max(known)}}}' if known else ""
    stats = f'{{"numRecords":{len(rows)}{bounds},"nullCount":{{"id":{len(rows) - len(known)}}}}}'
    return AddFile(path, {"p": partition}, 1, 1, data_change=True, stats=stats if with_stats else None)


def matches(predicate: tuple[str, int, str | None], partition: str, row: int | None) -> bool:
    comparison, number, wanted = predicate
    if wanted is not None and partition != wanted:
        return False
    if row is None:
        return False
    return {"<": row < number, "=": row == number, ">=": row >= number}[comparison]


@given(
    st.tuples(st.sampled_from(["<", "=", ">="]), NUMBERS, st.none() | st.sampled_from("ab")),
    st.lists(FILES, min_size=1, max_size=4),
    st.booleans(),
)
def test_a_commit_that_passes_misses_no_row(
    predicate: tuple[str, int, str | None], winners: list[tuple[str, list[int | None], bool]], split: bool
) -> None:
    scene = Scene()
    scene.create()
    scene.append(file_of("old", "a", [0, 20], with_stats=True))
    comparison, number, wanted = predicate
    conditions = [f"id {comparison} {number}"] + ([] if wanted is None else [f"p = '{wanted}'"])
    reader = scene.begin(precise_conflicts=True)
    plain = scene.begin()
    for transaction in (reader, plain):
        transaction.filter_files(*(conditions if split else [" AND ".join(conditions)]))
    for index, (partition, rows, with_stats) in enumerate(winners):
        scene.append(file_of(f"w{index}", partition, rows, with_stats))
    missed = any(matches(predicate, partition, row) for partition, rows, _ in winners for row in rows)
    try:
        version = reader.commit([add("result")], operations.with_predicate("UPDATE"))
    except ConcurrentModificationError:
        return
    assert not missed
    assert DeltaLog(scene.store).snapshot().table_version == version
    assert plain.read_scope.files == reader.read_scope.files


@given(st.lists(FILES, min_size=1, max_size=4))
def test_statistics_that_exclude_every_row_let_a_commit_pass(
    winners: list[tuple[str, list[int | None], bool]],
) -> None:
    scene = Scene()
    scene.create()
    reader = scene.begin(precise_conflicts=True)
    reader.filter_files("id > 100")
    for index, (partition, rows, _) in enumerate(winners):
        scene.append(file_of(f"w{index}", partition, rows, with_stats=True))
    assert reader.commit([add("result")], operations.with_predicate("UPDATE")) == len(winners) + 1


def test_a_file_removed_though_unread_by_statistics_does_not_conflict() -> None:
    scene = Scene()
    scene.create()
    scene.append(file_of("low", "a", [1, 2], with_stats=True), file_of("high", "a", [10, 20], with_stats=True))
    reader = scene.begin(precise_conflicts=True)
    assert [file.path for file in reader.filter_files("id > 5")] == ["high"]
    scene.begin().commit([remove("low")], operations.with_predicate("DELETE"))
    assert reader.commit([add("result")], operations.with_predicate("UPDATE")) == 3
