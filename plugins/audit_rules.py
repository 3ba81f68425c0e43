"""Collect the audit rules that plugins bring; a fault of one becomes a problem in a list, not an exception."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditRule
from deltaresolver.plugins.admission import OWN_PACKAGE
from deltaresolver.plugins.asking import Plugin
from deltaresolver.plugins.callables import why_it_never_runs, why_not_callable
from deltaresolver.plugins.guard import GuardedFunction, PluginSource
from deltaresolver.plugins.manager import offers
from deltaresolver.plugins.problems import Problem, is_writable, rejection
from deltaresolver.value import Value

_NAME = r"[a-z0-9]+(-[a-z0-9]+)*"


@attrs.frozen(slots=True)
class SubmittedRule(Value):
    """One rule and its source."""

    rule: AuditRule
    source: PluginSource


def collect_audit_rules(plugins: Iterable[Plugin]) -> tuple[SubmittedRule, ...]:
    """Every rule that `plugins` bring, sorted by name. Raises `PluginRejectedError` with all problems together."""
    rules, problems = sound_audit_rules(plugins)
    if problems:
        raise rejection(problems)
    return rules


def sound_audit_rules(plugins: Iterable[Plugin]) -> tuple[tuple[SubmittedRule, ...], tuple[Problem, ...]]:
    """As `collect_audit_rules`, but without the rules of plugins with problems; also returns the problems."""
    offered, asking = offers(plugins, "audit_rules", AuditRule)
    rules = [SubmittedRule(rule, source) for rule, source in offered]
    # Built-in rules first, so that a clash with one is blamed on the newcomer.
    rules.sort(key=lambda one: (str(one.rule.name), one.source.package != OWN_PACKAGE, one.source.package))
    problems = (*asking, *_problems(rules))
    unsound = {problem.source for problem in problems}
    sound = (one for one in rules if one.source not in unsound)
    return tuple(one if one.source.package == OWN_PACKAGE else _guarded(one) for one in sound), problems


def _guarded(one: SubmittedRule) -> SubmittedRule:
    check = GuardedFunction(one.rule.check, one.source, f"the check of audit rule {one.rule.name}", listed=True)
    return attrs.evolve(one, rule=attrs.evolve(one.rule, check=check))


def _problems(rules: Iterable[SubmittedRule]) -> Iterator[Problem]:
    first: dict[str, PluginSource] = {}
    for one in rules:
        name = one.rule.name
        if not isinstance(name, str) or not re.fullmatch(_NAME, name):
            message = f"{name!r} is not a valid name for an audit rule."
            yield Problem("bad name", one.source, message, "Name it in lower case words with hyphens.")
        elif name in {severity.value for severity in Severity}:
            message = f"an audit rule may not be called {name}, which is a severity."
            yield Problem("bad name", one.source, message, "Name what the rule looks for.")
        elif name in first:
            message = f"the audit rule {name} is brought by {first[name]} already."
            yield Problem("duplicate rule", one.source, message, "Give the rule another name.")
        first.setdefault(name, one.source)
        if not is_writable(one.rule.title, one.rule.remedy):
            message = f"the audit rule {name} has a text that UTF-8 cannot write."
            yield Problem("bad text", one.source, message, "Leave out halves of surrogate pairs.")
        wrong = why_not_callable(one.rule.check, ["table"]) or why_it_never_runs(one.rule.check, may_yield=True)
        if wrong is not None:
            message = f"the check of audit rule {name} {wrong}."
            yield Problem("wrong method", one.source, message, "Give it one parameter, the audited table.")
