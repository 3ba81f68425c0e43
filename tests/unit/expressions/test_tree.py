"""The tree of a condition: what it keeps of a text, and how it is written again."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from deltaresolver.expressions import tree as nodes
from deltaresolver.expressions.compare import UNKNOWABLE, Single
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.expressions.names import TargetNames, about_target
from deltaresolver.expressions.scalar import evaluate
from deltaresolver.expressions.text.reading import SqlReading
from deltaresolver.expressions.text.written import written
from tests.peers.random_conditions import TYPES
from tests.peers.record_conditions import SETTINGS, read_recorded


def test_a_tree_is_written_so_that_it_is_read_again(root: Path) -> None:
    for line in read_recorded(root / "tests" / "recorded" / "conditions.jsonl.gz"):
        if "sql" in line and "!" not in line["answers"]:
            tree = parse_predicate(line["sql"], SqlReading.of({**SETTINGS, **line["settings"]}.get)).tree
            assert flat(parse_predicate(written(tree)).tree) == flat(tree), line["sql"]


def flat(node: nodes.Node) -> object:
    """The node, with a chain of ANDs or ORs as one list, whichever of them stood in parentheses."""
    if isinstance(node, (nodes.Conjunction, nodes.Disjunction)):
        terms, waiting = [], [node.right, node.left]
        while waiting:
            term = waiting.pop()
            if type(term) is type(node):
                waiting += reversed(term.operands)
            else:
                terms.append(flat(term))
        return type(node).__name__, terms
    own = {name: found for name in OWN if not isinstance(found := getattr(node, name, None), nodes.Node)}
    return type(node).__name__, own, [flat(operand) for operand in node.operands]


OWN = ("operator", "value", "path", "kind", "truth", "escape", "ignores_case", "is_any", "target", "is_try", "name")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("not (a = 1)", "NOT a = 1"),
        ("not (a = 1 and b)", "NOT (a = 1 AND b)"),
        ("(a or b) and c or d", "(a OR b) AND c OR d"),
        ("a - (b - c) = 1", "a - (b - c) = 1"),
        ("(a - b) - c = 1", "a - b - c = 1"),
        ("(a + b) * c = 1", "(a + b) * c = 1"),
        ("- (-a) = 1", "-(-a) = 1"),
        ("not (a between 1 and 2 or b)", "NOT (a BETWEEN 1 AND 2 OR b)"),
        ("(a is null) = (b is null)", "(a IS NULL) = (b IS NULL)"),
        ("case a when 1 then b end", "CASE WHEN a = 1 THEN b END"),
        ("cast(a as decimal(10, 2)) = 1.50", "CAST(a AS DECIMAL(10, 2)) = 1.50"),
        ("`a b`.c = 'it''s'", "`a b`.c = 'it\\'s'"),
        ("a in (1, null) or a not in ('x')", "a IN (1, NULL) OR NOT a IN ('x')"),
        ("s like any ('a', 'b')", "s LIKE ANY ('a', 'b')"),
        ("d + interval 2 days > d", "(d + INTERVAL '2' DAYS) > d"),
        ("f(a) + 1 = g(b, c)", "F(a) + 1 = G(b, c)"),
        ("f(a not like 'x') = 1", "F(NOT a LIKE 'x') = 1"),
    ],
)
def test_no_more_parentheses_than_it_takes(text: str, expected: str) -> None:
    assert written(parse_predicate(text).tree) == expected
    assert parse_predicate(expected).tree == parse_predicate(text).tree


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("my_function(t.a, b) > c", {("t", "a"), ("b",), ("c",)}),
        ("exists(t.l, x -> x > t.a)", {("t", "l"), ("t", "a")}),
        ("a[b] = c.d.e", {("a",), ("b",), ("c", "d", "e")}),
        ("round(a, b) = 1", {("a",), ("b",)}),
        ("s between symmetric a and b", {("s",), ("a",), ("b",)}),
        ("a in (select b from c where d = e)", {("a",), ("b",), ("d",), ("e",)}),
        ("trim(both a from b) = regexp_extract(c, d, e)", {("a",), ("b",), ("c",), ("d",), ("e",)}),
        (
            "try_cast(a as tinyint) = b or decode(c, d, e) = `f g`",
            {(name,) for name in ("a", "b", "c", "d", "e", "f g")},
        ),
    ],
)
def test_every_column_is_in_the_tree_whatever_is_done_with_it(text: str, paths: set[tuple[str, ...]]) -> None:
    assert parse_predicate(text).column_paths == paths


def test_an_alias_is_taken_off_inside_of_what_is_not_evaluated() -> None:
    names = TargetNames(frozenset({"a", "b"}), "t", frozenset({"k"}))
    assert about_target("my_function(t.a, 't.a', t.b[0]) = 1", names).text == "(MY_FUNCTION(a, 't.a', b[0]) = 1)"


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("round(x, 1) = 1.3", Decimal("1.25"), True),
        ("round(x, 1) = 1.3", Decimal("1.26"), True),
        ("round(x, 1) = -1.3", Decimal("-1.25"), True),
        ("round(x, 3) = 1.26", Decimal("1.26"), True),
        ("round(x) = 1", Decimal("1.26"), True),
        ("round(x, 1) = 1.3D", 1.25, True),
        ("round(x, -1) = 10", Decimal("12.00"), UNKNOWABLE),
        ("round(x, 1) = 0.3", Single(0.25), UNKNOWABLE),
        ("substring(x, 2, 1) = 'b'", "abc", True),
        ("trunc(x, 'DD') = x", datetime.date(2024, 2, 3), UNKNOWABLE),
        ("trunc(x, 'MM') = '2024-02-01'", datetime.date(2024, 2, 3), True),
        ("initcap(x) = 'Ab Cd'", "aB cD", True),
        ("lpad(x, 4) = '  ab'", "ab", True),
        ("rtrim(x) = ' a'", " a ", True),
        ("locate('b', x) = 2", "abc", True),
        ("date_sub(x, 1) = '2024-02-02'", datetime.date(2024, 2, 3), True),
        ("x - interval 1 day = '2024-02-02'", datetime.date(2024, 2, 3), True),
        ("x + interval 1 month = '2024-03-03'", datetime.date(2024, 2, 3), UNKNOWABLE),
        ("length(repeat(x, 2000000000)) > 1", "ab", UNKNOWABLE),
    ],
)
def test_every_operand_of_a_function_counts(text: str, value: object, expected: object) -> None:
    assert evaluate(parse_predicate(text).tree, lambda _: (value, "")) is expected


@pytest.mark.parametrize(("value", "expected"), [("s", True), ("S", True), ("ſ", False), ("ß", False)])
def test_letters_that_only_look_alike_are_different(value: str, *, expected: bool) -> None:
    assert evaluate(parse_predicate("x ILIKE 's'").tree, lambda _: (value, "string")) is expected


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("'a' = true", ["string", "boolean"]),
        ("null = 1", ["void", "integer"]),
        ("2147483647 = 2147483648", ["integer", "long"]),
        ("1.50 = .5", ["decimal", "decimal"]),
        ("1e2 = 1.5E2", ["double", "double"]),
        ("x + interval 2 days = trunc(x, 'MM')", ["integer", "string"]),
    ],
)
def test_every_constant_knows_its_type(text: str, kinds: list[str]) -> None:
    found = nodes.walk(parse_predicate(text).tree)
    assert [node.kind for node in found if isinstance(node, nodes.Literal)] == kinds


def test_types_follow_from_the_columns() -> None:
    tree = nodes.bind(parse_predicate("coalesce(i + l, 1) = de").tree, lambda path: TYPES[path[0]])
    assert isinstance(tree, nodes.Compared)
    assert (tree.left.kind, tree.right.kind) == ("", "decimal")
    assert tree.left.operands[0].kind == "long"
