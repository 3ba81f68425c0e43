"""Whether the code of a feature consists of what is asked for, and can be called: behaviour, trigger, support."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from deltaresolver.model import rules
from deltaresolver.model.behaviour import FeatureBehaviour
from deltaresolver.model.rules import Rule
from deltaresolver.model.support import ReadAs, Task
from deltaresolver.plugins.callables import why_it_never_runs, why_not_callable
from deltaresolver.plugins.guarded_features import ABILITIES
from deltaresolver.plugins.problems import Problem, Submission

ALIKE = 0.8
"""How alike a method must be to one that is asked for to be taken for a misspelling of it."""


def code_problems(submission: Submission) -> Iterator[Problem]:
    """Methods nobody would ever call, and methods and functions whose call would fail or run nothing."""
    yield from _behaviour_problems(submission)
    for where, function in _functions(submission):
        wrong = why_not_callable(function, ["metadata"]) or why_it_never_runs(function)
        if wrong is not None:
            yield _problem(submission, f"{where} {wrong}.", "Give it one parameter, the metadata, and have it return.")
    trigger = submission.feature.trigger
    # Anything else is a problem of its own.
    if isinstance(trigger, Rule) and not isinstance(trigger, type):
        for rule in _rules_of(trigger):
            yield from _rule_problems(submission, rule)


def _problem(submission: Submission, message: str, fix: str) -> Problem:
    return Problem("wrong method", submission.source, message, fix, submission.feature.name)


# --- behaviours ---------------------------------------------------------------------------------


def _behaviour_problems(submission: Submission) -> Iterator[Problem]:
    behaviour = submission.feature.behaviour
    if behaviour is None:
        return
    kind = type(behaviour)
    for name in _public_methods(kind):
        if name in ABILITIES:
            yield from _wrongly_signed(submission, behaviour, name)
            continue
        near = difflib.get_close_matches(name, ABILITIES, n=1, cutoff=ALIKE)
        if near:
            yield Problem(
                "misspelt method",
                submission.source,
                f"{kind.__name__} of {submission.feature.name} has a method {name}, which is never called.",
                f"Did you mean {near[0]}? Begin the name with an underscore if it is a helper.",
                submission.feature.name,
            )


def _public_methods(kind: type[FeatureBehaviour]) -> list[str]:
    """The methods that the classes below `FeatureBehaviour` define."""
    own = [one for one in kind.__mro__ if one is not FeatureBehaviour and issubclass(one, FeatureBehaviour)]
    return sorted({name for one in own for name, member in vars(one).items() if name[0] != "_" and callable(member)})


def _wrongly_signed(submission: Submission, behaviour: FeatureBehaviour, name: str) -> Iterator[Problem]:
    asked = inspect.signature(getattr(FeatureBehaviour, name))
    parameters = list(asked.parameters.values())[1:]
    positional = [one.name for one in parameters if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    keywords = [one.name for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]
    method = getattr(behaviour, name)
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


def _functions(submission: Submission) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions of `support`, with what messages call them."""
    support, name = submission.feature.support, submission.feature.name
    for task in Task:
        stated = support.of(task)
        if isinstance(stated, ReadAs):
            yield f"support.read of {name} (columns)", stated.columns
            yield f"support.read of {name} (rows)", stated.rows
        elif callable(stated):
            yield f"support.{task.value} of {name}", stated


# --- triggers -----------------------------------------------------------------------------------

_METHODS = {"fires": ("view",), "evidence": ("view",), "remedies": ("view",), "hints": (), "describe": ()}


def _rules_of(rule: Rule) -> Iterator[Rule]:
    """A rule and the rules in it."""
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
