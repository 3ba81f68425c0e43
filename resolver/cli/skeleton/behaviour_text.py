"""The class of a behaviour, with the methods that its author wants, each as short as it can be."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable

import attrs

from deltaresolver import plugin
from deltaresolver.model import capabilities
from deltaresolver.model.behaviour import ABILITIES, FeatureBehaviour

CONDITIONS = "row_conditions"
_ABSTRACT = frozenset({"Any", "Mapping", "Sequence"})
_CONDITION_BODY = """\
    condition = metadata.configuration.get(CONDITION)
    return () if condition is None else (RowCondition("{feature}", condition, kind=RowRuleKind.OTHER),)
"""


@attrs.frozen(slots=True)
class BehaviourText:
    """The text of a class and what it takes: names from `deltaresolver.plugin`, and lines that import others."""

    text: str
    imports: tuple[str, ...]
    standard: tuple[str, ...]


def behaviour_text(feature: str, acts: Iterable[str]) -> BehaviourText:
    """A class that acts in these methods, which are names out of `ABILITIES`."""
    # A capability may bring another one along.
    asked = {name for one in acts for kind in capability_of(one).__mro__ for name in vars(kind)}
    wanted = [name for name in ABILITIES if name in asked]
    methods = "\n".join(_method(feature, name) for name in wanted)
    bases = sorted(capability_of(name).__name__ for name in wanted)
    # A capability that another one brings along is not named again.
    bases = [one for one in bases if not any(_brings(other, one) for other in bases if other != one)]
    name = class_name(feature)
    text = f"{_first_line(name, bases)}\n{_ABOUT}\n{methods}"
    names = set(re.findall(r"\b[A-Za-z]\w*\b", text))
    standard = []
    if names & {"Mapping", "Sequence"}:
        standard.append(f"from collections.abc import {', '.join(sorted(names & {'Mapping', 'Sequence'}))}")
    if "Any" in names:
        standard.append("from typing import Any")
    imports = sorted((names & set(plugin.__all__)) - _ABSTRACT)
    return BehaviourText(text, tuple(imports), tuple(standard))


_ABOUT = '    """What the feature does; everything is pure."""\n'
_LONGEST_LINE = 100


def class_name(feature: str) -> str:
    """The name of the behaviour's class."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_-]", feature)) + "Behaviour"


def capability_of(method: str) -> type:
    """The capability that a method belongs to."""
    every = (getattr(capabilities, name) for name in capabilities.__all__)
    return next(one for one in every if isinstance(one, type) and method in vars(one))


def _brings(one: str, other: str) -> bool:
    return getattr(capabilities, other) in getattr(capabilities, one).__mro__


def _first_line(name: str, bases: list[str]) -> str:
    line = f"class {name}({', '.join(bases)}):"
    return line if len(line) < _LONGEST_LINE else f"class {name}(\n" + "".join(f"    {one},\n" for one in bases) + "):"


def _method(feature: str, name: str) -> str:
    """A method with its first line of documentation, doing nothing; conditions of rows are held by a property."""
    source = textwrap.dedent(inspect.getsource(getattr(FeatureBehaviour, name)))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    documentation = function.body[0]
    lines = source.splitlines()
    head = "\n".join(lines[: documentation.lineno - 1])
    body = "\n".join(lines[documentation.end_lineno :])
    if name == CONDITIONS:
        body = _CONDITION_BODY.format(feature=feature).rstrip()
    first = (inspect.getdoc(getattr(FeatureBehaviour, name)) or "").splitlines()[0]
    written = f'{head}\n    """{first}"""' + (f"\n{body}" if body else "")
    return textwrap.indent(written, "    ") + "\n"
