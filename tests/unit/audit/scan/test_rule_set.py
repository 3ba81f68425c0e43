"""Rules come in through a hook, and none can stop an audit."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from deltaresolver.audit.scan.rule_set import RULE_FAILED, RuleSet, default_rules
from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import PluginRejectedError
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.audit_table import TableAudit
from deltaresolver.plugins import hookimpl, registered


def table() -> AuditedTable:
    """A table nothing is known of."""
    return AuditedTable(TableAudit("/lake/t"), None, None, built_in_catalog(), 0)


def rule(name: str, check: Any = lambda _: ()) -> AuditRule:
    """A rule of any name."""
    return AuditRule(name, Severity.WARNING, "Something", "Do something.", check)


def plugin(*rules: object) -> Any:
    """A plugin that brings these."""

    @hookimpl
    def audit_rules() -> Any:
        return list(rules)

    return registered([SimpleNamespace(audit_rules=audit_rules, __name__="made_up")])[0]


def test_there_are_a_dozen_rules_and_more_each_ready_to_be_named() -> None:
    rules = default_rules().rules
    assert len({one.name for one in rules}) == len(rules) >= 12
    for one in rules:
        assert one.title
        assert one.remedy.endswith(".")
        assert not one.title.endswith(".")
        assert list(one.check(table())) == []


def test_an_observation_takes_what_it_does_not_say_from_its_rule() -> None:
    def check(_: AuditedTable) -> Iterator[Observation]:
        yield Observation("Plain.")
        yield Observation("Own.", "Own remedy.", "own command", Severity.ERROR, {"a": 1})

    own, plain = RuleSet.of([plugin(rule("my-rule", check))]).findings(table())
    assert (plain.rule, plain.severity, plain.remedy) == ("my-rule", Severity.WARNING, "Do something.")
    assert (own.severity, own.remedy, own.command, own.details) == (
        Severity.ERROR,
        "Own remedy.",
        "own command",
        {"a": 1},
    )


def test_a_rule_that_raises_is_a_finding_and_the_others_go_on() -> None:
    def fails(_: AuditedTable) -> Iterator[Observation]:
        yield Observation("Told before it failed.")
        raise ZeroDivisionError("no")

    rules = RuleSet.of([plugin(rule("bad-rule", fails), rule("good-rule", lambda _: [Observation("Good.")]))])
    assert {(one.rule, one.details.get("rule")) for one in rules.findings(table())} == {
        (RULE_FAILED, "bad-rule"),
        ("good-rule", None),
    }


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        ((rule("Bad Name"),), "bad name"),
        ((rule("warning"),), "bad name"),
        ((rule("same"), rule("same")), "duplicate rule"),
        (("no rule",), "wrong return"),
    ],
)
def test_what_is_not_a_rule_is_refused(rules: tuple[object, ...], kind: str) -> None:
    with pytest.raises(PluginRejectedError) as raised:
        RuleSet.of([plugin(*rules)])
    assert f"[{kind}] plugin made_up" in raised.value.message
