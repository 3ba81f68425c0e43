"""Predicates in SQL against SQLite, which has the same three-valued logic and no line of ours."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import PredicateUnreadableError
from deltaresolver.expressions.compare import UNKNOWABLE
from deltaresolver.expressions.conditions import PartitionJudge, parse_predicate
from deltaresolver.expressions.predicates import And, Negation, Predicate, StartsWith
from deltaresolver.expressions.scalar import evaluate
from deltaresolver.expressions.statistics import pruning_predicate
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.conflicts.read_scope import Read, ReadScope

TEXTS = st.sampled_from(["a", "b", "ab", "A", ""])
NUMBERS = st.integers(-2, 2)
STARTS = StartsWith(("v",), "a")


def quoted(text: str) -> str:
    return "'" + text + "'"


def conditions() -> st.SearchStrategy[str]:
    text = st.one_of(st.just("s"), TEXTS.map(quoted), st.just("NULL"))
    number = st.one_of(st.just("n"), NUMBERS.map(str), st.just("NULL"), NUMBERS.map(lambda value: f"(n + {value})"))
    comparison = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
    simple = st.one_of(
        st.tuples(text, comparison, text).map(" ".join),
        st.tuples(number, comparison, number).map(" ".join),
        st.sampled_from(["s", "n"]).map(lambda column: f"{column} IS NULL"),
        st.sampled_from(["s", "n"]).map(lambda column: f"{column} IS NOT NULL"),
        st.lists(text, min_size=1, max_size=3).map(lambda items: f"s IN ({', '.join(items)})"),
        st.lists(text, min_size=1, max_size=3).map(lambda items: f"s NOT IN ({', '.join(items)})"),
        st.tuples(number, number).map(lambda pair: f"n BETWEEN {pair[0]} AND {pair[1]}"),
        text.map(lambda item: f"coalesce(s, 'a') = {item}"),
        st.sampled_from(["TRUE", "FALSE", "NULL"]),
    )
    return st.recursive(
        simple,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) AND ({pair[1]})"),
            st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) OR ({pair[1]})"),
            inner.map(lambda one: f"NOT ({one})"),
            st.tuples(inner, inner, inner).map(
                lambda three: f"CASE WHEN {three[0]} THEN ({three[1]}) ELSE ({three[2]}) END"
            ),
        ),
        max_leaves=6,
    )


def by_sqlite(condition: str, text: str | None, number: int | None) -> bool | None:
    database = sqlite3.connect(":memory:")
    try:
        (answer,) = database.execute(f"SELECT ({condition}) FROM (SELECT ? AS s, ? AS n)", (text, number)).fetchone()
    finally:
        database.close()
    return None if answer is None else bool(answer)


@given(conditions(), st.none() | TEXTS, st.none() | NUMBERS)
def test_evaluation_agrees_with_sqlite(condition: str, text: str | None, number: int | None) -> None:
    values = {"s": (text, "string"), "n": (number, "long")}
    answer = evaluate(parse_predicate(condition).tree, lambda name: values[name.lower()])
    assert answer is not UNKNOWABLE
    assert answer == by_sqlite(condition, text, number)


@given(conditions(), TEXTS, NUMBERS)
def test_what_cannot_be_computed_never_rules_a_file_out(condition: str, text: str, number: int) -> None:
    """One side of the data made unknowable: the answer is the right one, or that it cannot be told."""
    answer = evaluate(
        parse_predicate(condition).tree, lambda name: (UNKNOWABLE, "") if name == "s" else (number, "long")
    )
    if answer is not UNKNOWABLE:
        assert answer == by_sqlite(condition, text, number)


@pytest.mark.parametrize(
    ("condition", "values", "may_hold"),
    [
        ("d = DATE'2024-01-01'", {"d": "2024-01-01"}, True),
        ("d > DATE'2024-01-01'", {"d": "2024-01-01"}, False),
        ("d >= '2024-01-01'", {"d": "2023-12-31"}, False),
        ("ts = TIMESTAMP'2024-01-01 00:00:00'", {"ts": "2024-01-01 00:00:00"}, True),
        ("ts = TIMESTAMP'2024-01-01 00:00:00'", {"ts": "2024-01-01T00:00:00.000000Z"}, True),
        ("ts > TIMESTAMP'2024-01-01 00:00:00'", {"ts": "2024-01-01 00:00:00"}, False),
        ("CAST(d AS TIMESTAMP) = TIMESTAMP'2024-01-01 00:00:00'", {"d": "2024-01-01"}, True),
        ("CAST(d AS TIMESTAMP) > TIMESTAMP'2024-01-01 00:00:00'", {"d": "2024-01-01"}, False),
        ("b", {"b": "true"}, True),
        ("NOT b", {"b": "true"}, False),
        ("n = '5'", {"n": "5"}, True),
        ("n > 4.5", {"n": "4"}, False),
        ("S = 'a'", {"s": "a"}, True),
        ("s <=> NULL", {"s": None}, True),
        ("s <=> NULL", {"s": "a"}, False),
        ("s = 'a'", {"s": ""}, False),
        ("s LIKE 'a_%'", {"s": "a"}, False),
        ("s RLIKE '^a$'", {"s": "b"}, False),
        ("upper(s) = 'A'", {"s": "b"}, False),
        ("length(s) = 1", {"s": "ab"}, False),
        ("rand() < -1", {"s": "a"}, True),
        ("NOT (rand() < -1)", {"s": "a"}, True),
        ("my_function(s)", {"s": "a"}, True),
        ("s = 'b' AND rand() < 2", {"s": "a"}, False),
        ("s NOT LIKE 'a%'", {"s": "b"}, True),
        ("s NOT LIKE 'a%'", {"s": "ab"}, False),
        ("s NOT ILIKE 'A%'", {"s": "ab"}, False),
        ("s NOT LIKE 'a!_%' ESCAPE '!'", {"s": "ab"}, True),
        ("s NOT LIKE ANY ('a%', 'b%')", {"s": "c"}, True),
        ("n BETWEEN SYMMETRIC 5 AND 1", {"n": "3"}, True),
        ("s = ''", {"s": ""}, True),
        ("rand() < 2 AND s = NULL", {"s": "a"}, False),
    ],
)
def test_partition_values_are_judged_in_their_types(
    condition: str, values: dict[str, str | None], may_hold: bool
) -> None:
    types = {"d": "date", "ts": "timestamp", "b": "boolean", "n": "integer", "s": "string"}
    fields = ",".join(
        f'{{"name":"{name}","type":"{kind}","nullable":true,"metadata":{{}}}}' for name, kind in types.items()
    )
    schema = f'{{"type":"struct","fields":[{fields}]}}'
    judge = PartitionJudge.of(Metadata("t", schema_string=schema, partition_columns=tuple(types)))
    assert judge.may_hold(parse_predicate(condition), values) is may_hold


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("v LIKE 'a%'", STARTS),
        ("v NOT LIKE 'a%'", Negation(STARTS)),
        ("NOT (v NOT LIKE 'a%')", Negation(Negation(STARTS))),
    ],
)
def test_pruning_by_a_pattern_follows_its_negation(condition: str, expected: Predicate) -> None:
    schema = '{"type":"struct","fields":[{"name":"v","type":"string","nullable":true,"metadata":{}}]}'
    assert pruning_predicate((parse_predicate(condition),), Metadata("t", schema_string=schema)) == And((expected,))


def test_an_unknown_flag_leaves_a_condition_open() -> None:
    tree = parse_predicate("s BETWEEN SYMMETRIC 'b' AND 'a'").tree
    assert evaluate(tree, lambda _: ("c", "string")) is UNKNOWABLE
    assert parse_predicate("s BETWEEN SYMMETRIC 'b' AND 'a'").columns == {"s"}


def test_a_condition_that_is_not_sql_is_refused() -> None:
    with pytest.raises(PredicateUnreadableError):
        parse_predicate("p = ")


def test_a_conflict_shows_what_was_read_in_the_words_of_the_reader() -> None:
    scope = ReadScope()
    assert scope.describe() == "nothing"
    scope = scope.with_read(Read((parse_predicate("p = 'a'"),), (parse_predicate("id < 5"),)))
    assert scope.describe() == "p = 'a' and id < 5"
    assert scope.with_whole_table().describe() == "the whole table"
