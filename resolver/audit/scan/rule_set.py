"""The rules of one audit, built in and from plugins. A rule that fails becomes a finding and stops nothing."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

import attrs
import msgspec

from deltaresolver.audit import rules as built_in
from deltaresolver.defaults import default_plugins
from deltaresolver.errors import PluginCallFailedError, TriggerFailedError
from deltaresolver.model.audit_finding import SILENTLY_WRONG, Finding, Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.planning.lake.lake import Lake, TablePlace
from deltaresolver.plugins import Plugin, SubmittedRule, collect_audit_rules, modules_of, sound_audit_rules
from deltaresolver.plugins.guard import GuardedFunction

logger = logging.getLogger("deltaresolver.plugins")

RULE_FAILED = "rule-failed"
"""The rule name of a finding about a rule that raised."""


_PLACES = {severity: place for place, severity in enumerate(Severity)}


@attrs.frozen(slots=True)
class RuleSet:
    """Rules by name, sorted."""

    submitted: tuple[SubmittedRule, ...]

    @classmethod
    def of(cls, plugins: Iterable[Plugin]) -> RuleSet:
        """The rules that these plugins bring. Raises `PluginRejectedError`."""
        return cls(collect_audit_rules(plugins))

    @property
    def rules(self) -> tuple[AuditRule, ...]:
        """The rules, in the order of their names."""
        return tuple(one.rule for one in self.submitted)

    def findings(self, table: AuditedTable) -> tuple[Finding, ...]:
        """The findings of every rule, gravest first."""
        found: list[Finding] = []
        for one in self.submitted:
            found += _findings_of(one.rule, table)
        return gravest_first(found)

    def select(self, names: Iterable[str] | None) -> RuleSet:
        """A set with only the rules of these names; all rules if no name is given."""
        if names is None:
            return self
        wanted = frozenset(names)
        return RuleSet(tuple(one for one in self.submitted if one.rule.name in wanted))


@attrs.frozen(slots=True)
class FindingFilter:
    """Applies a lake.toml to the findings about a table: leaves out waived ones, sets the severity of others."""

    lake: Lake
    today: date

    def of(self, findings: Iterable[Finding], place: TablePlace) -> tuple[tuple[Finding, ...], int]:
        """The findings that stay, gravest first, and how many were waived."""
        kept, borne = [], 0
        for one in findings:
            if self.lake.waiver(one.rule, place, self.today) is not None:
                borne += 1
                continue
            severity = self.lake.severity(one.rule)
            kept.append(one if severity is None else msgspec.structs.replace(one, severity=Severity(severity)))
        return gravest_first(kept), borne


def gravest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by gravity; among equals silent damage first, then by rule."""
    return tuple(sorted(findings, key=lambda one: (-_PLACES[one.severity], one.rule != SILENTLY_WRONG, one.rule)))


def default_rules() -> RuleSet:
    """The rules of this package and of installed plugins, without those of plugins that cannot be used."""
    return _rules_of(default_plugins())


@lru_cache(maxsize=4)
def _rules_of(plugins: tuple[Plugin, ...]) -> RuleSet:
    rules, problems = sound_audit_rules((*modules_of(built_in), *plugins))
    for problem in problems:
        logger.warning("Its audit rules are left out: %s", problem)
    return RuleSet(rules)


def _findings_of(rule: AuditRule, table: AuditedTable) -> list[Finding]:
    try:
        found = [_finding(rule, one) for one in rule.check(table)]
        return list(map(_as_written, found)) if isinstance(rule.check, GuardedFunction) else found
    except (PluginCallFailedError, TriggerFailedError) as error:
        message = f"Rule {rule.name} failed on this table: {error.message}"
        return [Finding(RULE_FAILED, Severity.WARNING, message, error.fix, None, {"rule": rule.name})]
    except Exception as error:  # noqa: BLE001 - a stranger's check may fail in any way
        message = f"Rule {rule.name} failed on this table: {type(error).__name__}: {error}"
        remedy = "Repair the rule, or uninstall the package that brings it."
        return [Finding(RULE_FAILED, Severity.WARNING, message.rstrip(".") + ".", remedy, None, {"rule": rule.name})]


def _finding(rule: AuditRule, one: Observation) -> Finding:
    return Finding(
        rule.name, one.severity or rule.severity, one.message, one.remedy or rule.remedy, one.command, one.details
    )


def _as_written(finding: Finding) -> Finding:
    """A plugin's finding in the form of the document. Raises for texts and types that a document cannot hold."""
    return _read(_encoder.encode(finding))


_encoder = msgspec.json.Encoder(enc_hook=str)
_read = msgspec.json.Decoder(Finding).decode
