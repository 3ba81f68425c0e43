"""The subject of a compliance check: one feature, the catalog around it, and examples for its trigger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import ComplianceError, PluginRejectedError
from deltaresolver.model import Metadata
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.plugins import Plugin, PluginSource, Problem, ask_plugins, build_catalog, hookimpl, registered


@attrs.frozen(slots=True, eq=False)
class Subject:
    """One feature under test.

    `catalog` holds it among the built-in features and those it was tried beside; None when admission refused
    it, for reasons in `problems`.
    """

    feature: TableFeature
    catalog: FeatureCatalog | None
    problems: tuple[Problem, ...]
    switched_on: tuple[Metadata, ...]
    switched_off: tuple[Metadata, ...]


class _Bearer:
    """A plugin whose hook returns given features."""

    def __init__(self, features: Iterable[TableFeature]) -> None:
        self._features = tuple(features)

    @hookimpl
    def table_feature(self) -> tuple[TableFeature, ...]:
        """The features."""
        return self._features


def find_subject(
    made: object,
    *,
    name: str | None,
    beside: Iterable[object],
    switched_on: Sequence[Metadata],
    switched_off: Sequence[Metadata],
) -> Subject:
    """The subject in a feature, a plugin, or a function that makes either.

    Raises `ComplianceError` when there is no feature to check, or several and none is named.
    """
    thing = _make(made)
    plugin = _as_plugin(thing)
    others = [plugin_of for other in beside for plugin_of in registered((_as_plugin(_make(other)),))]
    features, problems = _features_of(thing, plugin)
    feature = _pick(features, name, problems)
    companions = _Bearer(one for one in built_in_catalog() if one not in features)
    catalog = None
    try:
        catalog = build_catalog((Plugin(companions, PluginSource("built-in", "deltaresolver")), *others, plugin))
    except PluginRejectedError as error:
        problems = error.problems
    return Subject(feature, catalog, tuple(problems), tuple(switched_on), tuple(switched_off))


def _make(made: object) -> object:
    return made() if callable(made) and not isinstance(made, TableFeature) else made


def _as_plugin(thing: object) -> Plugin:
    if isinstance(thing, TableFeature):
        # A built-in feature is treated as built-in here too: only those may belong to a legacy version.
        package = "deltaresolver" if thing in built_in_catalog().features else "the package under test"
        return Plugin(_Bearer((thing,)), PluginSource(thing.name, package))
    return registered((thing,))[0]


def _features_of(thing: object, plugin: Plugin) -> tuple[tuple[TableFeature, ...], tuple[Problem, ...]]:
    """What the plugin brings, however it fits together with anything else."""
    if isinstance(thing, TableFeature):
        return (thing,), ()
    submissions, problems = ask_plugins((plugin,))
    return tuple(submission.feature for submission in submissions), problems


def _pick(features: Sequence[TableFeature], name: str | None, problems: Iterable[Problem]) -> TableFeature:
    chosen = [feature for feature in features if name in (None, feature.name)]
    if len(chosen) == 1:
        return chosen[0]
    brought = ", ".join(sorted(feature.name for feature in features)) or "no feature"
    refused = "".join(f"\n  - admission: {problem}" for problem in problems)
    raise ComplianceError(
        f"There is not one feature to check: the plugin brings {brought}.{refused}",
        fix="Name one feature the plugin brings with name=...",
        details={"brought": sorted(feature.name for feature in features), "name": name},
    )
