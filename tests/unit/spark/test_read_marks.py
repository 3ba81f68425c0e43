"""Marks in plans: what is written is found again, and nothing else is taken for one."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.log.storage.locations import open_store
from deltaresolver.spark.reading.read_marks import PREFIX, ReadMark, marks_in, place_of
from tests.nasty import COLUMN_NAMES, STRINGS

TEXTS = st.one_of(st.sampled_from((*COLUMN_NAMES, *STRINGS)), st.text())
MARKS = st.builds(
    ReadMark,
    place=TEXTS,
    table_id=TEXTS,
    version=st.integers(0, 2**53),
    where=st.none() | TEXTS,
    zone=st.sampled_from(("UTC", "Asia/Kathmandu")),
    block=st.none() | st.uuids().map(str),
)


@given(st.lists(st.tuples(MARKS, TEXTS)))
def test_marks_are_found_in_any_text(parts: list[tuple[ReadMark, str]]) -> None:
    plan = "".join(f"{text}isnotnull({mark.text}){text}" for mark, text in parts)
    assert marks_in(plan) == {mark for mark, _ in parts}


@given(st.lists(MARKS), st.binary(max_size=9))
def test_marks_are_found_between_any_bytes(marks: list[ReadMark], between: bytes) -> None:
    plan = between.join(mark.text.encode() for mark in marks)
    assert marks_in(plan.decode("latin-1")) >= set(marks)


@given(st.text(max_size=20))
def test_what_only_looks_like_a_mark_is_passed_over(text: str) -> None:
    assert marks_in(f"{PREFIX}{text};") == frozenset()
    assert marks_in(f"{PREFIX}e30=;") == frozenset()


def test_a_place_has_one_name(tmp_path: Path) -> None:
    real = tmp_path / "a b"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    spelt = (real, f"{real}/", f"{tmp_path}/./a b", tmp_path / "link", f"file://{tmp_path}/a%20b")
    assert {place_of(open_store(each)) for each in spelt} == {str(real.resolve())}
