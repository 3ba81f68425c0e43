"""Collect plugins, ask each for its features, and freeze what they bring into a catalog."""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import TypeVar

import attrs
import pluggy

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.plugins import hookspecs
from deltaresolver.plugins.admission import PluginSource, Problem, Submission, admit

OWN_PACKAGE = "deltaresolver"
T = TypeVar("T")


@attrs.frozen(slots=True)
class Plugin:
    """A module or object with hooks, and who brought it."""

    hooks: object
    source: PluginSource


def modules_of(package: ModuleType) -> tuple[Plugin, ...]:
    """Every public module of a package as a plugin: how the built-in features are found."""
    found = pkgutil.iter_modules(package.__path__, package.__name__ + ".")
    names = sorted(info.name for info in found if not info.name.rpartition(".")[2].startswith("_"))
    return tuple(
        Plugin(importlib.import_module(name), PluginSource(name.rpartition(".")[2], OWN_PACKAGE)) for name in names
    )


def registered(plugins: Iterable[object]) -> tuple[Plugin, ...]:
    """Objects handed over by the caller as plugins."""
    return tuple(plugin if isinstance(plugin, Plugin) else Plugin(plugin, _source_of(plugin)) for plugin in plugins)


def _source_of(plugin: object) -> PluginSource:
    name = getattr(plugin, "__name__", None) or type(plugin).__name__
    module = plugin.__name__ if isinstance(plugin, ModuleType) else getattr(plugin, "__module__", None)
    return PluginSource(name, (module or type(plugin).__module__).partition(".")[0])


def installed_plugins() -> tuple[tuple[Plugin, ...], tuple[Problem, ...]]:
    """What installed packages offer through the entry point group, and what could not be imported."""
    plugins: list[Plugin] = []
    problems: list[Problem] = []
    for entry in sorted(importlib.metadata.entry_points(group=hookspecs.ENTRY_POINT_GROUP)):
        package = entry.dist.name if entry.dist is not None else entry.value.partition(":")[0]
        source = PluginSource(entry.name, package)
        try:
            plugins.append(Plugin(entry.load(), source))
        except Exception as error:  # noqa: BLE001 - a stranger's import may fail in any way
            message = f"entry point {entry.value} cannot be loaded: {type(error).__name__}: {error}."
            problems.append(Problem("import failed", source, message, "Repair or uninstall the package."))
    return tuple(plugins), tuple(problems)


def build_catalog(plugins: Iterable[Plugin], earlier: Iterable[Problem] = ()) -> FeatureCatalog:
    """The frozen catalog of everything `plugins` bring, the same whatever their order.

    Raises `PluginRejectedError` with all problems together.
    """
    submissions, problems = ask_plugins(plugins)
    return admit(submissions, (*earlier, *problems))


def ask_plugins(plugins: Iterable[Plugin]) -> tuple[tuple[Submission, ...], tuple[Problem, ...]]:
    """Every feature that `plugins` bring, unchecked and in an order of its own, and what went wrong while asking."""
    submissions: list[Submission] = []
    problems: list[Problem] = []
    for plugin in plugins:
        for outcome in _ask(plugin, "table_feature", TableFeature):
            if isinstance(outcome, Problem):
                problems.append(outcome)
            else:
                submissions.append(Submission(outcome, plugin.source))
    # Built-in features first, so that a clash with one is blamed on the newcomer.
    submissions.sort(
        key=lambda one: (one.source.package != OWN_PACKAGE, one.source.package, one.source.plugin, one.feature.name)
    )
    return tuple(submissions), tuple(problems)


def offers(
    plugins: Iterable[Plugin], hook: str, kind: type[T]
) -> tuple[tuple[tuple[T, PluginSource], ...], tuple[Problem, ...]]:
    """What `plugins` answer to one hook and who did, built-in plugins first, and what went wrong while asking."""
    offered: list[tuple[T, PluginSource]] = []
    problems: list[Problem] = []
    for plugin in plugins:
        for outcome in _ask(plugin, hook, kind):
            if isinstance(outcome, Problem):
                problems.append(outcome)
            else:
                offered.append((outcome, plugin.source))
    offered.sort(key=lambda one: (one[1].package != OWN_PACKAGE, one[1].package, one[1].plugin))
    return tuple(offered), tuple(problems)


def feature_sources(plugins: Iterable[Plugin]) -> dict[str, PluginSource]:
    """For each feature name, who brings it. Plugins that fail are left out: `build_catalog` reports them."""
    return {submission.feature.name: submission.source for submission in ask_plugins(plugins)[0]}


def _ask(plugin: Plugin, hook: str, kind: type[T]) -> Iterator[T | Problem]:
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    try:
        manager.register(plugin.hooks, name=plugin.source.plugin)
    except (pluggy.PluginValidationError, ValueError) as error:
        fix = "Give the hook the arguments that deltaresolver.plugins.hookspecs declares."
        yield Problem("bad hook", plugin.source, f"{error}.".replace("\n", " "), fix)
        return
    misspelt = list(_misspelt_hooks(manager, plugin))
    yield from misspelt
    if not manager.get_hookcallers(plugin.hooks):
        fix = "Mark a function named table_feature with @hookimpl from deltaresolver.plugins."
        yield Problem("no hook", plugin.source, "it implements no hook.", fix)
    for implementation in getattr(manager.hook, hook).get_hookimpls():
        yield from _call(plugin.source, implementation, kind)


def _misspelt_hooks(manager: pluggy.PluginManager, plugin: Plugin) -> Iterator[Problem]:
    known = [name for name in vars(hookspecs) if hasattr(getattr(hookspecs, name), f"{hookspecs.PROJECT}_spec")]
    for caller in manager.get_hookcallers(plugin.hooks) or ():
        if not caller.has_spec():
            near = difflib.get_close_matches(caller.name, known, n=1)
            fix = f"Did you mean {near[0]}?" if near else f"Known hooks are {', '.join(sorted(known))}."
            yield Problem("misspelt hook", plugin.source, f"there is no hook named {caller.name}.", fix)


def _call(source: PluginSource, implementation: pluggy.HookImpl, kind: type[T]) -> Iterator[T | Problem]:
    hook = implementation.function.__name__
    try:
        answer = implementation.function()
        # A generator runs the plugin's code only here, so it must be read inside the same guard.
        offered = [answer] if isinstance(answer, kind) else _listed(answer)
    except Exception as error:  # noqa: BLE001 - a stranger's hook may fail in any way
        message = f"hook {hook} raised {type(error).__name__}: {error}"
        yield Problem("hook raised", source, message.rstrip(".") + ".", "Repair the plugin: hooks may not fail.")
        return
    for one in offered:
        if isinstance(one, kind):
            yield one
        else:
            message = f"hook {hook} returned {type(one).__name__}, not a {kind.__name__}."
            fix = f"Return one {kind.__name__}, or a list of them."
            yield Problem("wrong return", source, message, fix)


def _listed(answer: object) -> list[object]:
    if isinstance(answer, (list, tuple, set, frozenset)) or inspect.isgenerator(answer):
        return list(answer)
    return [answer]
