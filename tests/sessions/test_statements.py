"""Statements are the same for the same seed, and the rows after them follow from plain values."""

from __future__ import annotations

import random

from tests.sessions.rows import COUNT, PLAIN, draw_lake, equal_to
from tests.sessions.settings import all_settings
from tests.sessions.statements import statements

SEEDS = range(50)


def test_settings_are_many_and_each_is_listed_once() -> None:
    found = list(map(str, all_settings()))
    assert len(set(found)) == len(found)
    assert len({each.key for each in all_settings()}) > 110


def test_a_seed_is_one_lake_and_one_list_of_statements() -> None:
    for seed in SEEDS:
        lake = draw_lake(seed)
        assert lake == draw_lake(seed)
        assert statements(lake, random.Random(seed)) == statements(lake, random.Random(seed))


def test_rows_are_known_by_their_numbers_before_and_after_every_statement() -> None:
    for seed in SEEDS:
        lake = draw_lake(seed)
        numbers = [row[0] for row in (*lake.first, *lake.more)]
        assert numbers == list(range(len(numbers)))
        assert len(lake.first) == COUNT
        for statement in statements(lake, random.Random(seed)):
            kept = [row[0] for row in statement.rows]
            assert len(kept) == len(set(kept)), statement.name


def test_conditions_are_spelt_for_every_type_but_nested_ones() -> None:
    spelt = set()
    for seed in SEEDS:
        lake = draw_lake(seed)
        for place, column in enumerate(lake.columns):
            if any(equal_to(lake, place, row[place]) for row in lake.first):
                spelt.add(column.type.partition("<")[0])
    assert set(PLAIN) <= spelt
