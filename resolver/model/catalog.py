"""The frozen set of known features. An argument everywhere, never a global."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar

import attrs

from deltaresolver.errors import UnknownFeatureError
from deltaresolver.model.feature import TableFeature

T = TypeVar("T")


def _sorted_by_name(features: Iterable[TableFeature]) -> tuple[TableFeature, ...]:
    return tuple(sorted(features, key=lambda feature: feature.name))


MOST_KEPT = 5_000
"""A lake with more kinds of tables has few that are alike."""


class Memo(Generic[T]):
    """Answers derived from a catalog, kept by what else they depend on; a key of None is not kept.

    At most `most` of them, and then all are forgotten: what strangers wrote must not fill the memory.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._answers: dict[Hashable, T] = {}

    def find(self, key: Hashable | None) -> T | None:
        """The answer kept, if there is one."""
        return None if key is None else self._answers.get(key)

    def keep(self, key: Hashable | None, answer: T) -> T:
        """Keep an answer; it is given back."""
        if key is not None:
            if len(self._answers) >= self._most:
                self._answers.clear()
            self._answers[key] = answer
        return answer


@attrs.frozen(slots=False, cache_hash=True, repr=False)
class FeatureCatalog:
    """Known features, sorted by name, looked up in any case.

    Holds whatever it is given: `deltaresolver.plugins` checks features before it builds one.
    """

    features: tuple[TableFeature, ...] = attrs.field(converter=_sorted_by_name)
    absent: Mapping[str, str] = attrs.field(factory=dict, eq=False)
    """Features that this catalog lacks although a package would bring them, and which; under no name, packages that
    may bring features not known here."""
    _derived: dict[Callable[[FeatureCatalog], Any], Any] = attrs.field(factory=dict, init=False, eq=False, repr=False)

    @cached_property
    def names(self) -> frozenset[str]:
        """The name of every feature."""
        return frozenset(feature.name for feature in self.features)

    @cached_property
    def _by_lowered_name(self) -> Mapping[str, TableFeature]:
        return {feature.name.lower(): feature for feature in self.features}

    def find(self, name: str) -> TableFeature | None:
        """The feature of this name in any case, or None."""
        return self._by_lowered_name.get(name.lower())

    def get(self, name: str) -> TableFeature:
        """The feature of this name in any case. Raises `UnknownFeatureError` naming the closest match."""
        found = self.find(name)
        if found is None:
            raise self.unknown((name,))
        return found

    def unknown(self, names: Iterable[str], *, asked_by: str = "") -> UnknownFeatureError:
        """The error for features this catalog does not have, with the closest names it has."""
        wanted = sorted(names)
        closest = {name: self.closest(name) for name in wanted[:_MAX_TOLD]}
        suggestions = [_unknown_in_words(name, near, self.absent) for name, near in closest.items()]
        if len(wanted) > _MAX_TOLD:
            suggestions.append(f"and {len(wanted) - _MAX_TOLD:,} more")
        source = f" {asked_by}" if asked_by else ""
        fix = "Correct the name (`deltaresolver features` lists all), or install the plugin that registers it."
        if all(name in self.absent for name in wanted):
            fix = "Repair the package: `deltaresolver plugins` has the reason why it is set aside."
        return UnknownFeatureError(
            f"Unknown table feature{'s' if len(wanted) > 1 else ''}{source}: {', '.join(suggestions)}.",
            fix=fix,
            details={"features": wanted, "closest": closest},
        )

    def closest(self, name: str) -> str | None:
        """The most similar known name, if any is similar."""
        lowered, known = name.lower(), self.derived(_no_closest_yet)
        if lowered not in known:
            near = difflib.get_close_matches(lowered, self._by_lowered_name, n=1)
            if len(known) >= _MAX_CLOSEST:
                known.clear()
            known[lowered] = self.get(near[0]).name if near else None
        return known[lowered]

    def derived(self, make: Callable[[FeatureCatalog], T]) -> T:
        """What `make` makes of this catalog: made once, and kept for as long as the catalog is.

        `make` is a function of a module, since it is also what the value is found by.
        """
        try:
            found: T = self._derived[make]
        except KeyError:
            found = self._derived[make] = make(self)
        return found

    def missing(self, absent: Mapping[str, str]) -> FeatureCatalog:
        """The same features, with what is known of others that are absent."""
        return attrs.evolve(self, absent=absent) if absent else self

    def why_absent(self, names: Iterable[str]) -> str:
        """Who would bring some of these features, as a sentence with a space before it; empty where nobody is known."""
        unknown = sorted(name for name in names if name not in self)
        told = [f"{name} is of {self.absent[name]}" for name in unknown if name in self.absent]
        if len(told) < len(unknown) and "" in self.absent:
            told.append(f"{', '.join(one for one in unknown if one not in self.absent)} may be of {self.absent['']}")
        return f" {'; '.join(told)} (`deltaresolver plugins` has more)." if told else ""

    def restricted_to(self, names: Iterable[str]) -> FeatureCatalog:
        """The same features, only those named."""
        wanted = frozenset(names)
        return FeatureCatalog((one for one in self.features if one.name in wanted), self.absent)

    def __reduce__(self) -> tuple[Any, ...]:
        # What others keep on a catalog is made again where it arrives.
        return FeatureCatalog, (self.features, self.absent)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._by_lowered_name

    def __iter__(self) -> Iterator[TableFeature]:
        return iter(self.features)

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        return f"FeatureCatalog({len(self.features)} features)"


def _unknown_in_words(name: str, near: str | None, absent: Mapping[str, str]) -> str:
    if name in absent:
        return f"{name} (of {absent[name]})"
    return f"{name} (did you mean {near}?)" if near else name


_MAX_TOLD = 100
"""A table may list any number of features, and looking for names like theirs takes time."""
_MAX_CLOSEST = 256


def _no_closest_yet(_: FeatureCatalog) -> dict[str, str | None]:
    """The closest names found so far: the same unknown name is met again and again when many tables are looked at."""
    return {}
