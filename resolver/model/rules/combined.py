"""Rules made of rules, and the escape hatch for what no rule can say."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from deltaresolver.errors import DeltaResolverError, TriggerFailedError
from deltaresolver.model.declared import texts
from deltaresolver.model.rules.evidence import ALWAYS, Evidence, Hints, Remedy, Rule
from deltaresolver.model.view import TableView
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class AnyOf(Value):
    """One of several rules fires."""

    rules: tuple[Rule, ...] = attrs.field(validator=attrs.validators.min_len(1))

    def fires(self, view: TableView) -> bool:
        # A loop and not any(): a generator costs more than most rules.
        for rule in self.rules:  # noqa: SIM110
            if rule.fires(view):
                return True
        return False

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return tuple(item for rule in self.rules for item in rule.evidence(view))

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return tuple(item for rule in self.rules for item in rule.remedies(view))

    def hints(self) -> Hints:
        combined = self.rules[0].hints()
        for rule in self.rules[1:]:
            combined |= rule.hints()
        return combined

    def describe(self) -> str:
        return ", or ".join(rule.describe() for rule in self.rules)


@attrs.frozen(slots=True)
class AllOf(Value):
    """All of several rules fire. They are tried in order, and the first that does not fire ends it."""

    rules: tuple[Rule, ...] = attrs.field(validator=attrs.validators.min_len(1))

    def fires(self, view: TableView) -> bool:
        for rule in self.rules:  # noqa: SIM110 - as in AnyOf
            if not rule.fires(view):
                return False
        return True

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        if not self.fires(view):
            return ()
        return tuple(item for rule in self.rules for item in rule.evidence(view))

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return tuple(item for rule in self.rules for item in rule.remedies(view)) if self.fires(view) else ()

    def hints(self) -> Hints:
        # All must fire, so the first rule's hints bound the whole; later ones may not be read before it.
        return self.rules[0].hints()

    def describe(self) -> str:
        return ", and ".join(rule.describe() for rule in self.rules)


class _Silent:
    """A rule that only holds others back: it has nothing to show, and any metadata may decide it."""

    __slots__ = ()

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return ()

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return ()

    def hints(self) -> Hints:
        return ALWAYS


@attrs.frozen(slots=True)
class Not(Value, _Silent):
    """Another rule does not fire. It has no evidence of its own, so combine it with one that has."""

    rule: Rule

    def fires(self, view: TableView) -> bool:
        return not self.rule.fires(view)

    def describe(self) -> str:
        return f"not ({self.rule.describe()})"


@attrs.frozen(slots=True)
class UnlessSupported(Value, _Silent):
    """None of these features is supported by the protocol at hand: the rule stands back for them."""

    features: tuple[str, ...] = attrs.field(converter=texts)

    def fires(self, view: TableView) -> bool:
        return view.supported.isdisjoint(self.features)

    def describe(self) -> str:
        return f"{' and '.join(self.features)} is not supported already"


@attrs.frozen(slots=True)
class Custom(Value):
    """The escape hatch: a pure, named, module-level function from the view to evidence, with its remedy.

    The function returns the evidence, empty when the rule does not fire. `where` may bound the metadata
    it needs to look at; without it the function runs on every resolution.
    """

    function: Callable[[TableView], tuple[Evidence, ...]]
    remedy: Remedy
    where: Hints = ALWAYS
    words: str = ""

    def fires(self, view: TableView) -> bool:
        return bool(self.evidence(view))

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        try:
            return tuple(self.function(view))
        except DeltaResolverError:
            raise
        except Exception as error:
            where = f"{self.function.__module__}.{self.function.__qualname__}"
            raise TriggerFailedError(
                f"The trigger {where} raised {type(error).__name__}: {error}.",
                fix="Repair or uninstall the plugin that brings it: a trigger may refuse metadata, but not fail.",
                details={"function": where, "error": type(error).__name__, "reason": str(error)},
            ) from error

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return (self.remedy,) if self.fires(view) else ()

    def hints(self) -> Hints:
        return self.where

    def describe(self) -> str:
        return self.words or (self.function.__doc__ or self.function.__name__).strip().splitlines()[0]
