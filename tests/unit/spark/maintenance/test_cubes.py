"""Which files of a clustered table OPTIMIZE chooses, and how it notes what it wrote."""

from __future__ import annotations

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.model.actions import AddFile
from deltaresolver.spark.maintenance.cubes import CUBE_COLUMNS, CUBE_ID, Cubes, CubeSizes

SIZES = CubeSizes(100, 150)


def file(number: int, size: int = 10, cube: str | None = None, columns: str = '["a"]') -> AddFile:
    tags = None if cube is None else {CUBE_ID: cube, CUBE_COLUMNS: columns}
    return AddFile(f"f{number}", size=size, tags=tags, clustering_provider=None if cube is None else "liquid")


def chosen(*files: AddFile, is_full: bool = False) -> list[str]:
    return [each.path for each in Cubes(["a"], SIZES, is_full=is_full).chosen(files)]


def test_new_files_join_small_cubes() -> None:
    assert chosen(file(1, cube="x"), file(2)) == ["f2", "f1"]
    assert chosen(file(1, cube="x"), file(2, cube="y")) == ["f1", "f2"]


def test_one_cube_is_left_as_it_is() -> None:
    assert chosen(file(1, cube="x"), file(2, cube="x")) == []
    assert chosen() == []


def test_large_cubes_are_left_alone() -> None:
    large = [file(1, 60, "x"), file(2, 60, "x")]
    assert chosen(*large, file(3)) == ["f3"]
    assert chosen(*large, file(3, cube="y")) == []


def test_files_of_other_columns_wait_for_optimize_full() -> None:
    other, foreign = file(1, cube="x", columns='["b"]'), attrs.evolve(file(2), clustering_provider="another")
    assert chosen(other, foreign) == []
    assert chosen(other, foreign, file(3)) == ["f3"]
    assert sorted(chosen(other, foreign, is_full=True)) == ["f1", "f2"]
    assert chosen(file(1, cube="x", columns="no json"), file(3)) == ["f3"]


sizes = st.lists(st.tuples(st.integers(0, 200), st.sampled_from([None, "x", "y", "z"])), max_size=12)


@given(sizes)
def test_nothing_is_chosen_twice_and_bins_hold_what_was_chosen(found: list[tuple[int, str | None]]) -> None:
    files = [file(number, size, cube) for number, (size, cube) in enumerate(found)]
    cubes = Cubes(["a"], SIZES)
    wanted = cubes.chosen(files)
    assert len({each.path for each in wanted}) == len(wanted)
    assert {each.path for each in files if each.tags is None} <= {each.path for each in wanted}
    assert [each for group in cubes.bins(wanted) for each in group] == wanted
    inside, outside, _ = cubes.counts(files)
    assert inside.files + outside.files == len(files)
    assert inside.size + outside.size == sum(each.size for each in files)


def test_what_was_written_is_one_cube() -> None:
    one, other = Cubes(["a", "b.c"], SIZES).tagged([file(1), file(2)])
    assert one.tags is not None
    assert one.tags == other.tags
    assert json.loads(str(one.tags[CUBE_COLUMNS])) == ["a", "b.c"]
    assert one.clustering_provider == "liquid"
    assert Cubes(["a", "b.c"], SIZES).chosen([one, other]) == []


@pytest.mark.parametrize(("session", "expected"), [({}, CubeSizes()), ({"x": "1"}, CubeSizes())])
def test_sizes_have_defaults_without_settings(session: dict[str, str], expected: CubeSizes) -> None:
    assert CubeSizes.of(session) == expected
