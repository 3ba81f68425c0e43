"""A feature whose code is called through the guard: behaviour, trigger and support."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import attrs

from deltaresolver.errors import TriggerFailedError
from deltaresolver.model import rules
from deltaresolver.model.behaviour import ABILITIES, ATTRIBUTES, FeatureBehaviour
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.rules import ColumnEvidence, Evidence, Hints, PropertyEvidence, Remedy, Rule
from deltaresolver.model.view import TableView
from deltaresolver.plugins.callables import never_ran
from deltaresolver.plugins.conservation import what_is_lost
from deltaresolver.plugins.guard import PluginSource, at_most, call, failed, is_answer
from deltaresolver.plugins.strangers.guarded_support import guarded_support

T = TypeVar("T")
_OWN_RULES = rules.__name__


def guarded(feature: TableFeature, source: PluginSource) -> TableFeature:
    """The same feature; when code of its plugin fails, the error names `source`."""
    behaviour, trigger = feature.behaviour, feature.trigger
    return attrs.evolve(
        feature,
        behaviour=None if behaviour is None else guarded_behaviour(behaviour, source),
        trigger=GuardedRule(trigger, source, feature.name) if trigger is not None and _has_code(trigger) else trigger,
        support=guarded_support(feature.support, source, feature.name),
    )


# --- behaviours ---------------------------------------------------------------------------------


class _Guarded(FeatureBehaviour):
    """A behaviour that calls the methods of another one through the guard."""

    def __init__(self, inner: FeatureBehaviour, source: PluginSource) -> None:
        self.inner = inner
        self.source = source

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or self.source != other.source:
            return False
        return bool(
            call(self.source, f"the comparison of {type(self.inner).__name__}", lambda: self.inner == other.inner)
        )

    def __hash__(self) -> int:
        return hash((type(self.inner), self.source))  # objects of a class with values may have none

    def __reduce__(self) -> tuple[Any, ...]:
        return guarded_behaviour, (self.inner, self.source)


def guarded_behaviour(behaviour: FeatureBehaviour, source: PluginSource) -> FeatureBehaviour:
    """The same behaviour, called through the guard. Methods that it does not override are not overridden here."""
    kind: Any = type(behaviour)  # a class has a hash, whatever its instances have
    return _guarded_class(kind)(behaviour, source)


@cache
def _guarded_class(kind: Any) -> type[_Guarded]:
    overridden = [name for name in ABILITIES if getattr(kind, name) is not getattr(FeatureBehaviour, name)]
    members: dict[str, Any] = {name: getattr(kind, name) for name in ATTRIBUTES}
    members |= {name: _method(name, f"{kind.__name__}.{name}") for name in overridden}
    return type(f"Guarded{kind.__name__}", (_Guarded,), members)


def _method(name: str, what: str) -> Callable[..., Any]:
    kinds, items = _answers(name)
    words = " or ".join("None" if kind is types.NoneType else kind.__name__ for kind in kinds)
    if items is not None:
        words = f"{words} of {items.__name__}"

    def method(self: _Guarded, *arguments: Any, **keywords: Any) -> Any:
        # The method is looked up inside the guard, since it may be a property that runs code of the plugin.
        answer = call(self.source, what, lambda: getattr(self.inner, name)(*arguments, **keywords))
        if never_ran(answer):
            raise failed(self.source, what, f"returned a {type(answer).__name__}, so that nothing of it ran")
        if kinds != (types.NoneType,) and not is_answer(answer, kinds, items):
            raise failed(self.source, what, f"returned {type(answer).__name__}, not {words}")
        lost = what_is_lost(name, answer, arguments)
        if lost is not None:
            raise failed(self.source, what, lost)
        return answer

    return method


@cache
def _answers(name: str) -> tuple[tuple[type, ...], type | None]:
    """The types a method may return and the type of items in a sequence, from the annotations of the base class."""
    stated = typing.get_type_hints(getattr(FeatureBehaviour, name))["return"]
    alternatives = typing.get_args(stated) if isinstance(stated, types.UnionType) else (stated,)
    items: type | None = None
    for one in alternatives:
        inside = typing.get_args(one)
        if len(inside) == 1 and isinstance(inside[0], type):
            items = inside[0]
    return tuple(typing.get_origin(one) or one for one in alternatives), items


# --- triggers -----------------------------------------------------------------------------------


def _has_code(rule: Rule) -> bool:
    """Whether a rule is a class of a plugin, or calls code of one."""
    if not type(rule).__module__.startswith(_OWN_RULES) or isinstance(rule, rules.Custom):
        return True
    if isinstance(rule, (rules.AnyOf, rules.AllOf)):
        return any(map(_has_code, rule.rules))
    if isinstance(rule, rules.Not):
        return _has_code(rule.rule)
    return isinstance(rule, rules.FieldHasMetadata) and rule.ensure_readable is not None


@attrs.frozen(slots=True)
class GuardedRule:
    """A trigger with code of its plugin."""

    rule: Rule
    source: PluginSource
    feature: str

    def fires(self, view: TableView) -> bool:
        """Whether the metadata switches the feature on."""
        return bool(self._call("fires", self.rule.fires, view))

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        """The evidence for the rule: the values that made it fire."""
        kinds = (PropertyEvidence, ColumnEvidence)
        return self._several("evidence", kinds, lambda: self.rule.evidence(view))

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        """The remedies that stop the rule from firing."""
        return self._several("remedies", (Remedy,), lambda: self.rule.remedies(view))

    def hints(self) -> Hints:
        """The places where the rule can fire."""
        return self._one("hints", Hints, self.rule.hints)

    def describe(self) -> str:
        """The condition in words."""
        return self._one("describe", str, self.rule.describe)

    def _one(self, method: str, kind: type[T], function: Callable[..., Any]) -> T:
        answer = self._call(method, function)
        if not isinstance(answer, kind):
            raise failed(self.source, self._what(method), f"returned {type(answer).__name__}, not {kind.__name__}")
        return answer

    def _several(self, method: str, kinds: tuple[type, ...], function: Callable[..., Any]) -> tuple[Any, ...]:
        found = self._call(method, lambda: at_most(function()))
        odd = next((one for one in found if not isinstance(one, kinds)), None)
        if odd is not None:
            words = " or ".join(kind.__name__ for kind in kinds)
            raise failed(self.source, self._what(method), f"returned {type(odd).__name__} among others, not {words}")
        return tuple(found)

    def _what(self, method: str) -> str:
        return f"the trigger of {self.feature}, {method},"

    def _call(self, method: str, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return call(self.source, self._what(method), function, *arguments)
        except TriggerFailedError as error:
            raise TriggerFailedError(
                f"{error.message.rstrip('.')} (trigger of {self.feature}, {self.source}).",
                fix=f"{error.fix} Until then leave it out: --without-plugin {self.source.package}.",
                details={**error.details, "plugin": self.source.plugin, "package": self.source.package},
            ) from error.__cause__
