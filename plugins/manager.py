"""Collect plugins, call their hooks through one pluggy manager, and make a frozen catalog of their features."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import TypeVar

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.plugins.admission import OWN_PACKAGE, admit
from deltaresolver.plugins.asking import Asking, Plugin
from deltaresolver.plugins.exclusion import normal_name
from deltaresolver.plugins.guard import PluginSource, away_from_output, call
from deltaresolver.plugins.offered import Offer, offers_of_packages
from deltaresolver.plugins.problems import Problem, Submission

T = TypeVar("T")


def modules_of(package: ModuleType) -> tuple[Plugin, ...]:
    """Every public module of a package as a plugin; this finds the built-in features."""
    found = pkgutil.iter_modules(package.__path__, package.__name__ + ".")
    names = sorted(info.name for info in found if not info.ispkg)
    return tuple(
        Plugin(importlib.import_module(name), PluginSource(name.rpartition(".")[2], OWN_PACKAGE)) for name in names
    )


def registered(plugins: Iterable[object]) -> tuple[Plugin, ...]:
    """Objects that the caller passed as plugins."""
    return tuple(plugin if isinstance(plugin, Plugin) else Plugin(plugin, _source_of(plugin)) for plugin in plugins)


def _source_of(plugin: object) -> PluginSource:
    name = getattr(plugin, "__name__", None) or type(plugin).__name__
    module = plugin.__name__ if isinstance(plugin, ModuleType) else getattr(plugin, "__module__", None)
    return PluginSource(name, (module or type(plugin).__module__).partition(".")[0])


def installed_plugins(without: frozenset[str] = frozenset()) -> tuple[tuple[Plugin, ...], tuple[Problem, ...]]:
    """The plugins of installed packages, from the entry point group, and problems with those that cannot be imported.

    Nothing is imported of the packages in `without`, in normal form.
    """
    plugins: list[Plugin] = []
    problems: list[Problem] = []
    wanted = (entry for entry in offers_of_packages() if normal_name(entry.package) not in without)
    entries = sorted(wanted, key=lambda entry: (entry.name, entry.value))
    problems.extend(_same_modules(entries))
    for entry in entries:
        source = _source(entry)
        try:
            with away_from_output():
                loaded = call(source, "the import", entry.load)
            plugins.append(Plugin(loaded, source))
        except Exception as error:  # noqa: BLE001 - a stranger's import may fail in any way
            cause = error.__cause__ or error
            message = f"entry point {entry.value} cannot be loaded: {type(cause).__name__}: {cause}."
            problems.append(Problem("import failed", source, message, "Repair or uninstall the package.", cause=cause))
    return tuple(plugins), tuple(problems)


def _source(entry: Offer) -> PluginSource:
    return PluginSource(entry.name, entry.package)


def _same_modules(entries: Iterable[Offer]) -> Iterator[Problem]:
    """Problems with packages that name the same module: Python imports only one, and the other would be ignored."""
    first: dict[str, PluginSource] = {}
    for entry in entries:
        source = _source(entry)
        known = first.setdefault(entry.module, source)
        if known.package != source.package:
            message = f"its module {entry.module} is also a module of {known}, and Python imports only one of them."
            yield Problem("same module", source, message, "Rename the module, or uninstall one of the packages.")


def build_catalog(plugins: Iterable[Plugin], earlier: Iterable[Problem] = ()) -> FeatureCatalog:
    """The frozen catalog of everything `plugins` bring, the same whatever their order.

    Raises `PluginRejectedError` with all problems together.
    """
    submissions, problems = ask_plugins(plugins)
    return admit(submissions, (*earlier, *problems))


def ask_plugins(plugins: Iterable[Plugin]) -> tuple[tuple[Submission, ...], tuple[Problem, ...]]:
    """Every feature that `plugins` bring, unchecked and in a fixed order, and the problems met."""
    offered, problems = offers(plugins, "table_feature", TableFeature)
    # A subclass, or a name that is a subclass of str, could compare in any way, so no check below would hold.
    odd = [(feature, source) for feature, source in offered if not _is_plain(feature)]
    fix = "Return objects of TableFeature itself, with text for a name."
    problems += tuple(
        Problem("wrong return", source, "hook table_feature returned a feature, or a name, of a derived class.", fix)
        for _, source in odd
    )
    submissions = [Submission(feature, source) for feature, source in offered if _is_plain(feature)]
    # Built-in features first, so that a clash with one is blamed on the newcomer.
    submissions.sort(
        key=lambda one: (one.source.package != OWN_PACKAGE, one.source.package, one.source.plugin, one.feature.name)
    )
    return tuple(submissions), problems


def _is_plain(feature: TableFeature) -> bool:
    return type(feature) is TableFeature and type(feature.name) is str


def offers(
    plugins: Iterable[Plugin], hook: str, kind: type[T], called: str = ""
) -> tuple[tuple[tuple[T, PluginSource], ...], tuple[Problem, ...]]:
    """The answers of `plugins` to one hook with their sources, built-in plugins first, and the problems met."""
    asking = Asking(plugins)
    offered = asking.answers(hook, kind, called)
    offered.sort(key=lambda one: (one[1].package != OWN_PACKAGE, one[1].package, one[1].plugin))
    return tuple(offered), tuple(asking.problems)


def feature_sources(plugins: Iterable[Plugin]) -> dict[str, PluginSource]:
    """The source of each feature, by name. Plugins that fail are left out: `build_catalog` reports them."""
    return {submission.feature.name: submission.source for submission in ask_plugins(plugins)[0]}
