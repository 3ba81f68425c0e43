"""What is kept by key: found again, within bounds, and never for an empty key."""

from __future__ import annotations

from deltaresolver.model.catalog import Memo
from deltaresolver.model.metadata import Metadata


def test_an_answer_is_found_by_its_key_alone() -> None:
    memo: Memo[str] = Memo()
    assert memo.keep(("a", 1), "one") == "one"
    assert (memo.find(("a", 1)), memo.find(("a", 2))) == ("one", None)


def test_without_a_key_nothing_is_kept() -> None:
    memo: Memo[str] = Memo()
    assert memo.keep(None, "one") == "one"
    assert memo.find(None) is None


def test_when_there_are_too_many_all_are_forgotten() -> None:
    memo: Memo[int] = Memo(most=3)
    for number in range(4):
        memo.keep(number, number)
    assert [memo.find(number) for number in range(4)] == [None, None, None, 3]


def test_metadata_that_rules_cannot_tell_apart_has_one_key() -> None:
    schema = '{"type":"struct","fields":[]}'
    one = Metadata("a", "name", "told", schema_string=schema, configuration={"k": "v"}, created_time=1)
    other = Metadata("b", schema_string=schema, configuration={"k": "v"})
    assert one.for_rules == other.for_rules
    assert hash(one.for_rules) == hash(other.for_rules)
    assert one.for_rules != one.with_configuration({"k": "w"}).for_rules
    assert one.for_rules != Metadata("a", configuration={"k": "v"}).for_rules


def test_huge_metadata_has_no_key() -> None:
    assert Metadata(schema_string=" " * 100_000).for_rules is None
    assert Metadata(configuration={"k" * 70_000: ""}).for_rules is None
    assert Metadata(configuration={str(number): "v" * 100 for number in range(1000)}).for_rules is None
