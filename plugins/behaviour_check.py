"""Whether a behaviour's methods are methods that are asked for, and can be called as they are."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterator

from deltaresolver.model.behaviour import FeatureBehaviour
from deltaresolver.plugins.guarded_features import ABILITIES
from deltaresolver.plugins.problems import Problem, Submission

ALIKE = 0.8
"""How alike a method must be to one that is asked for to be taken for a misspelling of it."""


def behaviour_problems(submission: Submission) -> Iterator[Problem]:
    """Methods nobody would ever call, and methods whose call would fail."""
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
    keywords = {one.name: None for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}
    try:
        inspect.signature(getattr(behaviour, name)).bind(*positional, **keywords)
    except TypeError as error:
        shown = ", ".join(str(one) for one in parameters)
        yield Problem(
            "wrong method",
            submission.source,
            f"{type(behaviour).__name__}.{name} of {submission.feature.name} cannot be called with its arguments: "
            f"{error}.",
            f"Give it the parameters of FeatureBehaviour.{name}: ({shown}).",
            submission.feature.name,
        )
