"""Programs are the same for the same seed, print as Python, and meet every kind of step and feature."""

from __future__ import annotations

from collections import Counter

from tests.differential import program as steps
from tests.differential.generator import WEIGHTS, draw_program
from tests.differential.meeting import assigns_fields, has_doubles
from tests.differential.program import Create, Program, Rows
from tests.differential.tables import FEED, MAPPING, TRACKING, VECTORS
from tests.differential.values import arrow_table
from tests.differential.weaving import woven

SEEDS = range(300)


def test_a_seed_is_one_program() -> None:
    assert [draw_program(seed) for seed in SEEDS] == [draw_program(seed) for seed in SEEDS]


def test_programs_print_as_python() -> None:
    for seed in SEEDS:
        program = woven(draw_program(seed))
        assert eval(str(program), vars(steps)) == program


def test_wide_programs_have_every_type_defaults_fields_and_ambiguous_sources() -> None:
    programs = [woven(draw_program(seed, is_wide=True)) for seed in SEEDS]
    assert programs[:20] == [woven(draw_program(seed, is_wide=True)) for seed in SEEDS[:20]]
    assert all(eval(str(program), vars(steps)) == program for program in programs)
    columns = [
        column for program in programs for step in program.steps if isinstance(step, Create) for column in step.columns
    ]
    kinds = Counter(column.type.partition("<")[0] for column in columns)
    assert min(kinds[kind] for kind in ("STRUCT", "ARRAY", "BINARY", "CHAR(4)", "VARCHAR(4)")) > 5
    assert sum(column.default is not None for column in columns) > 20
    assert sum(assigns_fields(program) for program in programs) > 20
    assert sum(has_doubles(program) for program in programs) > 20


def test_every_kind_of_step_comes_up() -> None:
    kinds = Counter(type(step).__name__ for seed in SEEDS for step in woven(draw_program(seed)).steps)
    wanted = {kind.__name__ for kind in steps.Step.__args__}
    assert {kind for kind in wanted if kinds[kind] < 3} == set()
    assert len(WEIGHTS) == 11


def test_every_feature_and_every_way_to_create_a_table_come_up() -> None:
    creates = [step for seed in SEEDS for step in draw_program(seed).steps if isinstance(step, Create)]
    properties = Counter(key for create in creates for key, _ in create.properties)
    assert min(properties[key] for key in (FEED, VECTORS, TRACKING, MAPPING)) > 30
    assert {create.way for create in creates} == {"ds.write", "format", "ddl"}
    hidden = [create for create in creates if any(name[0] in "_." for name in create.partition_by)]
    assert hidden
    assert any(column.generated for create in creates for column in create.columns)


def test_rows_fit_their_columns() -> None:
    for seed in SEEDS:
        for step in draw_program(seed).steps:
            for name in ("rows", "source"):
                rows = getattr(step, name, None)
                if isinstance(rows, Rows):
                    assert arrow_table(rows).num_rows == len(rows.values)


def test_the_first_table_is_created_before_anything_is_written() -> None:
    for seed in SEEDS:
        program: Program = draw_program(seed)
        kinds = [type(step).__name__ for step in program.steps]
        assert kinds.index("Create") <= 1


def test_statements_are_woven_in_alike_and_change_nothing_else() -> None:
    for seed in SEEDS:
        program = draw_program(seed)
        found = woven(program)
        assert found == woven(program)
        left = [step for step in found.steps if not isinstance(step, steps.Clone | steps.Convert | steps.Reorg)]
        assert [type(step) for step in program.steps if not isinstance(step, steps.Upkeep)] == [
            type(step) for step in left if not isinstance(step, steps.Upkeep)
        ]


def test_no_file_that_a_restore_needs_is_deleted() -> None:
    for seed in SEEDS:
        found = woven(draw_program(seed)).steps
        for place, step in enumerate(found):
            if isinstance(step, steps.Vacuum) and not step.retains:
                assert not any(isinstance(later, steps.Restore) for later in found[place:])


def test_most_steps_are_made_both_by_calls_and_by_sql() -> None:
    ways = Counter(
        (type(step).__name__, step.way)
        for seed in SEEDS
        for step in woven(draw_program(seed)).steps
        if hasattr(step, "way")
    )
    assert {name for name, way in ways if way == steps.SQL} >= {
        "Create",
        "Append",
        "Delete",
        "Merge",
        "Clone",
        "Convert",
    }
