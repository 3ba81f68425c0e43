"""Check the code of a feature: behaviour, trigger and support have only known methods, and these can be called."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from deltaresolver.model import rules
from deltaresolver.model.behaviour import ABILITIES, ATTRIBUTES, FeatureBehaviour, written
from deltaresolver.model.rules import Rule
from deltaresolver.model.support import ReadAs, Task
from deltaresolver.plugins.callables import signature_of, why_it_never_runs, why_not_callable
from deltaresolver.plugins.offered import OWN
from deltaresolver.plugins.problems import Problem, Submission

ALIKE = 0.8
"""The similarity from which a method's name counts as a misspelling of a known one."""

_CAPABILITIES = "deltaresolver.model.capabilities"
_BUILT_IN = "deltaresolver.features."
_NOT_AUTHORS = frozenset({"deltaresolver.model.behaviour", "abc", "builtins", "typing"})


def code_problems(submission: Submission) -> Iterator[Problem]:
    """Problems with methods that are never called, and with functions whose call would fail or run nothing."""
    yield from _behaviour_problems(submission)
    for where, function, parameters in _functions(submission):
        wrong = why_not_callable(function, parameters) or why_it_never_runs(function)
        if wrong is not None:
            fix = f"Give it the parameters ({', '.join(parameters)}), and have it return."
            yield _problem(submission, f"{where} {wrong}.", fix)
    trigger = submission.feature.trigger
    # A value of another type is reported elsewhere.
    if isinstance(trigger, Rule) and not isinstance(trigger, type):
        for rule in _rules_of(trigger):
            yield from _rule_problems(submission, rule)


def _problem(submission: Submission, message: str, fix: str) -> Problem:
    return Problem("wrong method", submission.source, message, fix, submission.feature.name)


# --- behaviours ---------------------------------------------------------------------------------


def _behaviour_problems(submission: Submission) -> Iterator[Problem]:
    if submission.feature.behaviour is None:
        return
    behaviour = written(submission.feature.behaviour)
    if submission.source.package == OWN and type(behaviour).__module__.startswith(_BUILT_IN):
        return  # for built-in features a test checks this once, rather than every command
    yield from behaviour_problems(submission, behaviour)


def behaviour_problems(submission: Submission, behaviour: object) -> Iterator[Problem]:
    """Problems with methods and attributes of a behaviour that are never used, or cannot be called."""
    kind = type(behaviour)
    where = f"{kind.__name__} of {submission.feature.name}"
    own = _own_members(kind)
    missing = _capabilities_without_methods(kind)
    for capability, name in missing:
        near = difflib.get_close_matches(name, own, n=1)
        fix = f"Did you mean {near[0]} to be it?" if near else f"Define it, or do not derive from {capability}."
        message = f"{where} is declared as {capability}, and does not define {name}."
        yield Problem("missing method", submission.source, message, fix, submission.feature.name)
    named = {name for _, name in missing}
    for name, member in own.items():
        if name in ABILITIES:
            yield from _wrongly_signed(submission, behaviour, name)
        elif name in ATTRIBUTES:
            yield from _wrongly_typed(submission, where, name, member)
        elif near := difflib.get_close_matches(name, (*ABILITIES, *ATTRIBUTES), n=1, cutoff=ALIKE):
            if near[0] in named:
                continue
            unused = "a method" if callable(member) else "an attribute"
            fix = f"Did you mean {near[0]}? Begin the name with an underscore if it is a helper."
            message = f"{where} has {unused} {name}, which is never used."
            yield Problem("misspelt method", submission.source, message, fix, submission.feature.name)


def _own_members(kind: type) -> dict[str, Any]:
    """The public members that an author's classes define, mixins included."""
    found: dict[str, Any] = {}
    for one in kind.__mro__:
        if one.__module__ not in _NOT_AUTHORS and not _is_capability(one):
            found = {name: member for name, member in vars(one).items() if name[0] != "_"} | found
    return dict(sorted(found.items()))


def _capabilities_without_methods(kind: type) -> list[tuple[str, str]]:
    """Capabilities among the bases of a class, each with a method that the class does not define."""
    return [
        (one.__name__, name)
        for one in filter(_is_capability, kind.__mro__)
        for name in ABILITIES
        if name in vars(one) and any(getattr(kind, name) is idle for idle in (vars(one)[name], _idle(name)))
    ]


def _is_capability(kind: type) -> bool:
    return kind.__module__.startswith(f"{_CAPABILITIES}.")


def _idle(name: str) -> object:
    """The default method of this name, which does nothing."""
    return getattr(FeatureBehaviour, name)


def _wrongly_typed(submission: Submission, where: str, name: str, value: object) -> Iterator[Problem]:
    if isinstance(getattr(FeatureBehaviour, name), bool):
        fits, takes = isinstance(value, bool), "True or False"
    else:
        fits = isinstance(value, (set, frozenset)) and all(isinstance(one, str) for one in value)
        takes = "a set of texts"
    if not fits:
        yield _problem(submission, f"{where} has {value!r} for {name}.", f"Give it {takes}.")


def _wrongly_signed(submission: Submission, behaviour: object, name: str) -> Iterator[Problem]:
    asked = signature_of(getattr(FeatureBehaviour, name))
    parameters = list(asked.parameters.values())[1:]
    positional = [one.name for one in parameters if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    keywords = [one.name for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]
    method = inspect.getattr_static(behaviour, name)
    if callable(method) or isinstance(method, (staticmethod, classmethod)):
        method = getattr(behaviour, name)
    else:
        shown = type(method).__name__
        where = f"{type(behaviour).__name__} of {submission.feature.name}"
        yield _problem(submission, f"{where} has {name}, which is {shown} and no method.", "Write it as a method.")
        return
    where = f"{type(behaviour).__name__}.{name} of {submission.feature.name}"
    wrong = why_not_callable(method, positional, keywords)
    if wrong is not None:
        shown = ", ".join(str(one) for one in parameters)
        yield _problem(
            submission, f"{where} {wrong}.", f"Give it the parameters of FeatureBehaviour.{name}: ({shown})."
        )
    idle = why_it_never_runs(method)
    if idle is not None:
        yield _problem(submission, f"{where} {idle}.", "Write it as a plain function that returns.")


# --- functions of metadata ----------------------------------------------------------------------


def _functions(submission: Submission) -> Iterator[tuple[str, Callable[..., Any], tuple[str, ...]]]:
    """The functions of `support`, each with its name in messages and the names of its arguments."""
    support, name = submission.feature.support, submission.feature.name
    for task in Task:
        stated = support.of(task)
        if isinstance(stated, ReadAs):
            yield f"support.read of {name} (columns)", stated.columns, ("metadata",)
            yield f"support.read of {name} (rows)", stated.rows, ("metadata",)
            if stated.files is not None:
                yield f"support.read of {name} (files)", stated.files, ("metadata", "file")
        elif callable(stated):
            yield f"support.{task.value} of {name}", stated, ("metadata",)


# --- triggers -----------------------------------------------------------------------------------

_METHODS = {"fires": ("view",), "evidence": ("view",), "remedies": ("view",), "hints": (), "describe": ()}


def _rules_of(rule: Rule) -> Iterator[Rule]:
    """A rule and the rules inside it."""
    yield rule
    inner = rule.rules if isinstance(rule, (rules.AnyOf, rules.AllOf)) else ()
    for one in (*inner, *((rule.rule,) if isinstance(rule, rules.Not) else ())):
        yield from _rules_of(one)


def _rule_problems(submission: Submission, rule: Rule) -> Iterator[Problem]:
    of = f"of the trigger of {submission.feature.name}"
    if isinstance(rule, rules.Custom):
        unfit = why_not_callable(rule.function, ["view"]) or why_it_never_runs(rule.function, may_yield=True)
        if unfit is not None:
            yield _problem(submission, f"The function {of} {unfit}.", "Give it one parameter, the table as it is seen.")
    if type(rule).__module__.startswith(rules.__name__):
        return
    for method, arguments in _METHODS.items():
        called = getattr(rule, method, None)
        if not callable(called):
            wrong: str | None = "is missing"
        else:
            listed = method in {"evidence", "remedies"}
            wrong = why_not_callable(called, arguments) or why_it_never_runs(called, may_yield=listed)
        if wrong is not None:
            fix = f"Give it the methods of deltaresolver.plugin.Rule: {', '.join(_METHODS)}."
            yield _problem(submission, f"{type(rule).__name__}.{method} {of} {wrong}.", fix)
