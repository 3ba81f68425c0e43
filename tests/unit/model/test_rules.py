"""Each rule: when it fires, what it shows as evidence, and that its remedy really stops it."""

from __future__ import annotations

from typing import Any

import pytest

from deltaresolver.errors import DeltaResolverError, PropertyInvalidError, SchemaMalformedError, TriggerFailedError
from deltaresolver.model import Metadata
from deltaresolver.model.rules import (
    ALWAYS,
    AllOf,
    AnyOf,
    ColumnEvidence,
    Custom,
    Evidence,
    FieldHasMetadata,
    FieldNotNull,
    Hints,
    Not,
    PropertyEvidence,
    PropertyHoldsJson,
    PropertyIsOneOf,
    PropertyIsTrue,
    PropertyPrefix,
    PropertyPresent,
    Remedy,
    Rule,
    SchemaHasType,
    UnlessSupported,
)
from deltaresolver.model.schema import ArrayType, MapType, Place, StructField
from deltaresolver.model.view import TableView
from tests.metadata_by_hand import column, struct, table
from tests.unit.model.applying_remedies import applied

NESTED = table(
    None,
    column("plain"),
    column("odd name", "variant"),
    column("s", struct(column("v", "variant", {"acme.key": 1}, nullable=False))),
    column("a", ArrayType("variant")),
    column("aa", ArrayType(ArrayType(struct(column("v", "variant", {"acme.key": 1}, nullable=False))))),
    column("m", MapType("string", "variant"), {"acme.key": None}, nullable=False),
    column("element", struct(column("element", "variant"))),
)


def fires(rule: Rule, metadata: Metadata, supported: frozenset[str] = frozenset()) -> bool:
    view = TableView(metadata, supported)
    found = rule.fires(view)
    assert found is bool(rule.remedies(view)) or isinstance(rule, (Not, UnlessSupported)), "remedies without firing"
    return found


def ensure_remedies_work(rule: Rule, metadata: Metadata) -> None:
    """Carrying out the remedies, all of them, makes the rule stop."""
    assert fires(rule, metadata)
    for _ in range(20):
        remedies = rule.remedies(TableView(metadata))
        if not remedies:
            break
        metadata = applied(metadata, remedies[0])
    assert not fires(rule, metadata)


# --- properties -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["true", "TRUE", "tRuE"])
def test_a_true_property_fires_in_any_case(value: str) -> None:
    rule = PropertyIsTrue("acme.on")
    metadata = table({"acme.on": value})
    ensure_remedies_work(rule, metadata)
    assert rule.evidence(TableView(metadata)) == (PropertyEvidence("acme.on", value),)


@pytest.mark.parametrize("properties", [{}, {"acme.on": "false"}, {"ACME.ON": "true"}, {"acme.one": "true"}])
def test_a_false_absent_or_other_property_does_not_fire(properties: dict[str, str]) -> None:
    assert not fires(PropertyIsTrue("acme.on"), table(properties))


@pytest.mark.parametrize("value", ["", " ", " true", "true ", "yes", "on", "1", "null", "trüe"])
def test_a_property_that_is_neither_true_nor_false_is_refused_with_a_fix(value: str) -> None:
    with pytest.raises(PropertyInvalidError) as caught:
        PropertyIsTrue("acme.on").fires(TableView(table({"acme.on": value})))
    assert repr(value) in caught.value.message
    assert "acme.on" in caught.value.fix
    assert caught.value.details["value"] == value
    assert caught.value.delta_class == "IllegalArgumentException"


def test_an_older_spelling_counts_only_where_the_newer_is_absent() -> None:
    rule = PropertyIsTrue("acme.new", aliases=("acme.old",))
    ensure_remedies_work(rule, table({"acme.old": "true"}))
    assert not fires(rule, table({"acme.new": "false", "acme.old": "true"}))
    assert not fires(rule, table({"acme.new": "false", "acme.old": "odd"}))


def test_one_of_several_values_fires_and_an_unknown_one_is_refused() -> None:
    rule = PropertyIsOneOf("acme.mode", values=("a", "b"), harmless=("none",), any_case=True)
    ensure_remedies_work(rule, table({"acme.mode": "B"}))
    assert not fires(rule, table({"acme.mode": "NONE"}))
    assert not fires(rule, table())
    with pytest.raises(PropertyInvalidError, match="none of none, a, b"):
        rule.fires(TableView(table({"acme.mode": "c"})))
    exact = PropertyIsOneOf("acme.mode", values=("a",), harmless=(), message="Mode {value}?", delta_class="ModeError")
    ensure_remedies_work(exact, table({"acme.mode": "a"}))
    with pytest.raises(PropertyInvalidError, match=r"(?m)^Mode A\?$") as caught:
        exact.fires(TableView(table({"acme.mode": "A"})))
    assert caught.value.delta_class == "ModeError"


def test_a_property_that_is_set_fires_whatever_its_value() -> None:
    for value in ("", "false", "x"):
        ensure_remedies_work(PropertyPresent("acme.x"), table({"acme.x": value}))
    assert not fires(PropertyPresent("acme.x"), table({"acme.X": ""}))


def test_json_counts_when_it_is_an_object_with_all_fields() -> None:
    rule = PropertyHoldsJson("acme.json", ("a", "b"))
    ensure_remedies_work(rule, table({"acme.json": '{"a": 0, "b": "", "c": null}'}))
    for text in ("", "{", "[]", "null", '"a"', "{}", '{"a": 1}', '{"a": 1, "b": null}'):
        assert not fires(rule, table({"acme.json": text}))


def test_a_prefix_fires_in_any_case_and_each_property_has_its_remedy() -> None:
    metadata = table({"acme.check.One": "x", "ACME.CHECK.two": "y", "acme.checks": "z"})
    rule = PropertyPrefix("acme.check.")
    ensure_remedies_work(rule, metadata)
    assert [str(item) for item in rule.evidence(TableView(metadata))] == ["ACME.CHECK.two = y", "acme.check.One = x"]
    ensure_remedies_work(PropertyPrefix("acme.check.", "ALTER TABLE {table} DROP CONSTRAINT {rest}"), metadata)


# --- columns --------------------------------------------------------------------------------------


def test_a_type_fires_at_any_depth_and_the_remedy_names_a_column_that_can_be_dropped() -> None:
    rule = SchemaHasType(("variant",))
    ensure_remedies_work(rule, NESTED)
    paths = {item.path for item in rule.evidence(TableView(NESTED)) if isinstance(item, ColumnEvidence)}
    assert paths == {
        ("odd name",),
        ("s", "v"),
        ("a", "element"),
        ("aa", "element", "element", "v"),
        ("m", "value"),
        ("element", "element"),
    }


def test_a_type_is_compared_without_its_parameters() -> None:
    rule = SchemaHasType(("geometry",))
    assert fires(rule, table(None, column("c", "geometry(4326)")))
    assert fires(rule, table(None, column("c", "geometry (4326)")))
    assert not fires(rule, table(None, column("c", "geometryx")))


@pytest.mark.parametrize(
    ("depth", "paths"),
    [
        (Place.TOP, ["m"]),
        (Place.STRUCT, ["m", "s.v"]),
        (Place.COLLECTION, ["aa.element.element.v", "m", "s.v"]),
    ],
)
def test_field_metadata_and_not_null_count_down_to_their_depth(depth: Place, paths: list[str]) -> None:
    for rule in (FieldHasMetadata(("acme.key",), depth), FieldNotNull(depth)):
        ensure_remedies_work(rule, NESTED)
        found = [item for item in rule.evidence(TableView(NESTED)) if isinstance(item, ColumnEvidence)]
        assert sorted(".".join(item.path) for item in found) == paths


def test_field_metadata_can_be_cleared_by_a_statement_of_its_own() -> None:
    rule = FieldHasMetadata(("acme.key",), remedy_sql="ALTER TABLE {table} ALTER COLUMN {column} RESET")
    texts = {remedy.sql for remedy in rule.remedies(TableView(NESTED))}
    assert "ALTER TABLE {table} ALTER COLUMN s.v RESET" in texts


def test_field_metadata_may_be_refused_by_value() -> None:
    def ensure_number(field: StructField) -> None:
        if not isinstance((field.metadata or {})["acme.key"], int):
            raise SchemaMalformedError("not a number")

    rule = FieldHasMetadata(("acme.key",), Place.STRUCT, ensure_readable=ensure_number)
    assert fires(rule, table(None, column("c", metadata={"acme.key": 1})))
    assert not fires(rule, table(None, column("a", ArrayType(struct(column("c", metadata={"acme.key": "x"}))))))
    with pytest.raises(SchemaMalformedError):
        fires(rule, NESTED)


# --- combinations ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "literal"), [("a.b", "'a.b'"), ("it's", r"'it\'s'"), ("back\\slash", r"'back\\slash'"), ("\\'", r"'\\\''")]
)
def test_a_property_key_is_written_as_a_string_that_spark_reads_back(key: str, literal: str) -> None:
    view = TableView(table({key: "x"}))
    assert PropertyPresent(key).remedies(view)[0].sql == f"ALTER TABLE {{table}} UNSET TBLPROPERTIES ({literal})"
    found = PropertyIsOneOf(key, ("x",), ("it's off",)).remedies(view)[0].sql
    assert found == rf"ALTER TABLE {{table}} SET TBLPROPERTIES ({literal} = 'it\'s off')"


A, B = PropertyPresent("acme.a"), PropertyPresent("acme.b")
BOTH = table({"acme.a": "1", "acme.b": "2"})


def test_any_of_needs_all_its_remedies_and_all_of_any_one() -> None:
    ensure_remedies_work(AnyOf((A, B)), BOTH)
    both = AllOf((A, B))
    for remedy in both.remedies(TableView(BOTH)):
        assert not fires(both, applied(BOTH, remedy))
    assert not fires(both, table({"acme.a": "1"}))
    assert both.evidence(TableView(table({"acme.a": "1"}))) == ()


def test_all_of_does_not_read_what_comes_after_a_rule_that_does_not_fire() -> None:
    rule = AllOf((A, PropertyIsTrue("acme.on")))
    assert not fires(rule, table({"acme.on": "odd"}))
    with pytest.raises(PropertyInvalidError):
        fires(rule, table({"acme.on": "odd", "acme.a": ""}))


@pytest.mark.parametrize("combine", [AnyOf, AllOf])
def test_combining_no_rules_is_refused_at_once(combine: Any) -> None:
    with pytest.raises(ValueError, match="rules"):
        combine(())


def test_not_and_unless_supported_turn_on_absence() -> None:
    assert fires(Not(A), table())
    assert not fires(Not(A), BOTH)
    rule = UnlessSupported(("acmeOld", "acmeOlder"))
    assert fires(rule, table())
    assert not fires(rule, table(), frozenset(("acmeOlder",)))


def count_columns(view: TableView) -> tuple[Evidence, ...]:
    """Tables with two columns or more."""
    return tuple(ColumnEvidence((field.name,), "is there") for field in view.schema.fields[1:])


def fail(_: TableView) -> tuple[Evidence, ...]:
    """Fail."""
    raise KeyError("column")


def refuse(_: TableView) -> tuple[Evidence, ...]:
    """Refuse."""
    raise PropertyInvalidError("No.", fix="Yes.")


def test_a_function_fires_on_its_evidence() -> None:
    rule = Custom(count_columns, remedy=Remedy("Use one column."))
    assert fires(rule, table(None, column("a"), column("b")))
    assert not fires(rule, table(None, column("a")))
    assert rule.describe() == "Tables with two columns or more."


def test_a_function_that_fails_is_named_and_one_that_refuses_is_not_hidden() -> None:
    with pytest.raises(TriggerFailedError, match=r"test_rules\.fail raised KeyError") as caught:
        fires(Custom(fail, remedy=Remedy("")), table())
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(DeltaResolverError, match=r"(?m)^No\.$"):
        fires(Custom(refuse, remedy=Remedy("")), table())


# --- hints ----------------------------------------------------------------------------------------


def test_hints_bound_where_a_rule_can_fire() -> None:
    assert (PropertyIsTrue("a", ("b",))).hints() == Hints(properties=frozenset("ab"))
    assert AnyOf((A, PropertyPrefix("ACME.c."))).hints() == Hints(
        properties=frozenset(("acme.a",)), property_prefixes=frozenset(("acme.c.",))
    )
    assert AllOf((A, B)).hints() == A.hints()
    assert AnyOf((A, Not(B))).hints() == Not(A).hints() == UnlessSupported(("x",)).hints() == ALWAYS
