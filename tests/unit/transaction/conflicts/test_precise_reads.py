"""Which added file a read concerns, judged by its partition values and by its statistics."""

from __future__ import annotations

import attrs
import pytest

from deltaresolver.expressions.conditions import PartitionJudge, parse_predicate
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.conflicts.precise_reads import first_concerned
from deltaresolver.transaction.conflicts.read_scope import Read
from tests.transactions import SCHEMA, add

METADATA = Metadata("t", schema_string=SCHEMA, partition_columns=("p",))


def concerned(condition: str, *stats: str | None) -> str | None:
    files = [attrs.evolve(add(f"f{number}"), stats=text) for number, text in enumerate(stats)]
    read = Read(data_predicates=(parse_predicate(condition),))
    found = first_concerned(files, [read], METADATA, PartitionJudge.of(METADATA))
    return None if found is None else found.path


def between(low: int, high: int) -> str:
    return f'{{"numRecords":2,"minValues":{{"id":{low}}},"maxValues":{{"id":{high}}},"nullCount":{{"id":0}}}}'


def test_statistics_leave_out_the_files_before_the_first_that_may_hold_a_row() -> None:
    assert concerned("id = 7", between(0, 5), between(6, 9), between(7, 7)) == "f1"
    assert concerned("id = 7", between(0, 5), None) == "f1"
    assert concerned("id = 70", between(0, 5), between(6, 9)) is None


@pytest.mark.parametrize("condition", ["rand() < 0.5", "id + 1 = 2 OR rand() < 0.5", "hash(id) = 1"])
def test_a_condition_that_statistics_cannot_answer_concerns_every_file(condition: str) -> None:
    assert concerned(condition, between(0, 5), None) == "f0"


def test_no_file_is_concerned_where_none_was_added() -> None:
    assert concerned("id = 7") is None
    assert concerned("rand() < 0.5") is None


def test_a_partition_is_left_out_by_a_condition_that_statistics_cannot_answer() -> None:
    files = [add("f0", "a"), add("f1", "b")]
    read = Read(partition_predicates=(parse_predicate("upper(p) = 'B'"),))
    found = first_concerned(files, [read], METADATA, PartitionJudge.of(METADATA))
    assert found is not None
    assert found.path == "f1"
