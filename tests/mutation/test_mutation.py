"""The tool itself: a planted bug is noticed, a change that changes nothing is not, a file is left as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation import choice
from tests.mutation.__main__ import sampled
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.record import Record
from tests.mutation.trial import changed, tried

SOURCE = b'''"""About all < any."""
def least(values: "list[int]", floor: int = 0) -> int:
    found = [one for one in values if one > floor]
    if not found:
        raise ValueError("nothing is left")
    found.sort()
    return found[0] if len(found) > 1 and any(found) else max(found)
'''
TEST = """
import pytest
from arithmetic import least

def test_least():
    assert least([3, 1, 2]) == 1
    assert least([0, -1, 5]) == 5
    with pytest.raises(ValueError, match='nothing'):
        least([])
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project with one module and its test."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "arithmetic.py").write_bytes(SOURCE)
    (tmp_path / "test_arithmetic.py").write_text(TEST)
    return tmp_path


def mutant(kind: str, text: str) -> Mutant:
    return next(one for one in mutants_of("arithmetic.py", SOURCE) if (one.kind, one.text) == (kind, text))


def killer(tree: Path, change: Mutant) -> str | None:
    with changed(tree / "arithmetic.py", change.apply(SOURCE)):
        return tried(tree, ["test_arithmetic.py"], seconds=20).killer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("comparison", "((one) >= (floor))"),
        ("statement removed", "pass"),
        ("constant", "1"),
        ("return", "return None"),
        ("condition negated", "(not (not found))"),
        ("not removed", "(found)"),
        ("condition dropped", "True"),
    ],
)
def test_a_planted_bug_is_noticed(kind: str, text: str, tree: Path) -> None:
    assert killer(tree, mutant(kind, text)) == "test_arithmetic.py::test_least"


@pytest.mark.slow
def test_a_change_that_changes_nothing_survives(tree: Path) -> None:
    assert killer(tree, mutant("call", "all")) is None
    assert killer(tree, mutant("call", "min")) is None
    assert (tree / "arithmetic.py").read_bytes() == SOURCE


@pytest.mark.slow
def test_what_never_ends_and_what_cannot_be_imported_is_noticed(tree: Path) -> None:
    endless = SOURCE.replace(b"found.sort()", b"while True: pass")
    with changed(tree / "arithmetic.py", endless):
        assert tried(tree, ["test_arithmetic.py"], seconds=2).killer == "time"
    with changed(tree / "arithmetic.py", b"def"):
        assert tried(tree, ["test_arithmetic.py"], seconds=20).killer is not None


def test_documentation_annotations_and_messages_are_left_alone() -> None:
    assert not [one for one in mutants_of("a.py", SOURCE) if one.line == 1 or "nothing is left" in one.before[:20]]
    assert {one.line for one in mutants_of("a.py", SOURCE) if one.before == '"list[int]"'} == set()


def test_a_mutant_has_the_same_name_wherever_its_function_stands() -> None:
    moved = b"import os\n\n\ndef other():\n    return os.sep\n\n\n" + SOURCE
    before, after = ({one.name for one in mutants_of("a.py", source)} for source in (SOURCE, moved))
    assert before <= after
    assert len(before) == len(mutants_of("a.py", SOURCE))


def test_methods_and_mutants_that_read_alike_are_told_apart() -> None:
    source = b"class A:\n    def f(self, x):\n        return (x > 1) or (x > 1)\n\n\ndef f(x):\n    return x > 1\n"
    names = [one.name for one in mutants_of("a.py", source) if one.kind == "constant"]
    assert names == [
        "a.py:A.f constant: 1 -> 2",
        "a.py:A.f constant: 1 -> 2 (2)",
        "a.py:f constant: 1 -> 2",
    ]


def test_a_sample_stays_what_it_is_beside_new_mutants() -> None:
    """What comes in takes a place; nothing that was further back comes before what was further front."""
    found = mutants_of("a.py", SOURCE)
    new = mutants_of("b.py", SOURCE)
    order = [one.name for one in sampled(found, 0, 8)]
    assert [one.name for one in sampled([*new, *found], 0, 100) if one in found][:8] == order
    assert [one.name for one in sampled(found, 0, 4)] == order[:4]
    assert [one.name for one in sampled(found, 1, 8)] != order


def test_every_test_that_calls_the_function_is_tried_and_the_quick_ones_first(tmp_path: Path) -> None:
    seconds = {"t/a.py::long": 50.0, "t/a.py::short": 0.5, "t/b.py::beside": 1.0, "t/b.py::late": 40.0}
    callers = {"features/a.py:f": frozenset({"t/a.py::long", "t/a.py::short"})}
    first, then = choice.choose_tests(tmp_path, "features/a.py", "f", choice.Seen(seconds, callers), 30.0)
    assert first == ["t/a.py::short", "t/b.py::beside"]
    assert then == ["t/a.py::long"]


def test_a_survivor_that_survives_again_keeps_its_reason(tmp_path: Path) -> None:
    record = Record.open(tmp_path / "runs.json")
    record.add("features", "a", None)
    record.room("features")["survived"]["a"] = "Nobody can see it."
    record.add("features", "a", None)
    assert record.room("features")["survived"] == {"a": "Nobody can see it."}
    record.add("features", "a", "tests/test_a.py::test_b")
    assert record.room("features")["survived"] == {}


def test_a_record_goes_on_and_keeps_what_is_known(tmp_path: Path) -> None:
    record = Record.open(tmp_path / "runs.json")
    record.add("features", "a", "tests/test_a.py::test_b[1]")
    record.add("features", "b", None)
    again = Record.open(tmp_path / "runs.json")
    assert again.knows("features", "a")
    stored = again.room("features")
    assert stored == {
        "mutants": 0,
        "seed": 0,
        "killed": {"a": "tests/test_a.py::test_b"},
        "survived": {"b": ""},
    }
    again.add("features", "b", "tests/test_a.py::test_c")
    assert again.summary() == ["features: 2 of 2 killed (100%), 0 survivors explained; 0 in all"]


def test_nine_of_ten_recorded_mutants_were_noticed() -> None:
    rooms = Record.open(Path(__file__).with_name("recorded_runs.json")).content["rooms"].values()
    killed, survived = (sum(len(room[kind]) for room in rooms) for kind in ("killed", "survived"))
    assert killed + survived >= 300
    assert killed >= 0.9 * (killed + survived)
