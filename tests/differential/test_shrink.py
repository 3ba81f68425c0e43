"""A failing program is made smaller and still fails in the same way."""

from __future__ import annotations

from tests.differential.generator import draw_program
from tests.differential.program import Create, Delete, Merge, Program
from tests.differential.shrink import parts_of, shrink, smaller


def test_steps_and_rows_that_do_not_matter_are_removed() -> None:
    def fails(program: Program) -> bool:
        return any(isinstance(step, Delete) for step in program.steps)

    found = [draw_program(seed) for seed in range(200)]
    for program in [each for each in found if fails(each)][:10]:
        least = shrink(program, fails, 10_000)
        kinds = [type(step) for step in least.steps]
        assert kinds == [Create, Delete]
        assert isinstance(least.steps[0], Create)
        assert least.steps[0].rows.values == ()
        assert least.steps[0].properties == ()


def test_the_row_that_matters_stays() -> None:
    def fails(program: Program) -> bool:
        return any(isinstance(step, Merge) and len(step.source.values) > 1 for step in program.steps)

    program = next(each for each in map(draw_program, range(200)) if fails(each))
    (merge,) = (step for step in shrink(program, fails, 10_000).steps if isinstance(step, Merge))
    assert len(merge.source.values) == 2
    assert len(merge.clauses) == 1


def test_candidates_are_programs_of_their_own() -> None:
    program = draw_program(3)
    assert program not in list(smaller(program))


def test_the_number_of_tries_is_limited() -> None:
    tries = []

    def fails(program: Program) -> bool:
        tries.append(program)
        return False

    shrink(draw_program(5), fails, 7)
    assert len(tries) == 7


def test_a_condition_is_split_into_its_operands() -> None:
    assert parts_of("(a = 1) AND ((b) OR (c))") == ["a = 1", "(b) OR (c)"]
    assert parts_of("NOT (a = 1)") == ["a = 1"]
    assert parts_of("a IN (1, 2)") == []
