"""The installed packages with plugins: what each brings, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from deltaresolver.audit import rules as built_in_rules
from deltaresolver.clients.installed import sound_declared_clients, with_facts
from deltaresolver.clients.shipped import shipped_clients
from deltaresolver.defaults import default_standing
from deltaresolver.errors import PluginRejectedError
from deltaresolver.plugins import (
    HOOKS,
    PluginSource,
    SetAside,
    hook_notes,
    installed_packages,
    modules_of,
    offers,
    profiles_of,
    seconds_spent,
    sound_audit_rules,
)
from deltaresolver.plugins.exclusion import normal_name
from deltaresolver.plugins.strangers.foreign_metadata import version_of

OWN = "deltaresolver"
USED, PARTLY, ASIDE, LEFT_OUT = "used", "used in part", "set aside", "left out by choice"


@attrs.frozen(slots=True)
class InstalledPackage:
    """One package.

    `guards`: it is set aside, and nothing is committed because of its commit policies. `notes` are what its author
    should know: what it uses has changed, or will go.
    """

    name: str
    version: str
    state: str
    milliseconds: float
    brings: Mapping[str, tuple[str, ...]]
    problems: tuple[str, ...] = ()
    guards: bool = False
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "package": self.name,
            "version": self.version,
            "state": self.state,
            "used": self.state in {USED, PARTLY},
            "milliseconds": round(self.milliseconds, 1),
            "brings": {kind: list(names) for kind, names in self.brings.items()},
            "problems": list(self.problems),
            "notes": list(self.notes),
            "stops_commits": self.guards,
        }


def look_at_packages() -> list[InstalledPackage]:
    """Every installed package with plugins, by name."""
    standing = default_standing()
    aside = {one.package: one for one in standing.set_aside}
    brought: dict[str, dict[str, list[str]]] = {}
    problems: dict[str, list[str]] = {}
    for hook, words in HOOKS.items():
        for item, source in offers(standing.plugins, hook, object)[0]:
            if source.package != OWN:
                brought.setdefault(source.package, {}).setdefault(words, []).append(_name(item))
    for source, told in _left_out_in_part().items():
        problems.setdefault(source.package, []).extend(told)
    names = {plugin.source.package for plugin in standing.plugins} - {OWN} | set(aside)
    names |= installed_packages() - {normal_name(one) for one in names}
    return [_look_at(name, aside.get(name), brought.get(name, {}), problems.get(name, [])) for name in sorted(names)]


def _look_at(
    name: str, aside: SetAside | None, brought: Mapping[str, list[str]], problems: list[str]
) -> InstalledPackage:
    brings = {kind: tuple(sorted(items)) for kind, items in brought.items()}
    if aside is None:
        state = PARTLY if problems else USED
    else:
        state = LEFT_OUT if aside.by_choice else ASIDE
        problems = [str(problem) for problem in aside.problems]
        brings = {"features": tuple(sorted(aside.features))} if aside.features else {}
    milliseconds = seconds_spent(name) * 1000
    guards = aside is not None and aside.guards
    plugins = [plugin for plugin in default_standing().plugins if plugin.source.package == name]
    notes = tuple(f"{plugin.source.plugin}: {note}" for plugin in plugins for note in hook_notes(plugin.hooks))
    return InstalledPackage(name, version_of(name), state, milliseconds, brings, tuple(problems), guards, notes)


def _left_out_in_part() -> dict[PluginSource, list[str]]:
    """What is wrong with clients, audit rules and profiles: each is left out alone."""
    standing = default_standing()
    plugins = standing.plugins
    clients, wrong_clients = sound_declared_clients(shipped_clients(), plugins)
    found = {source: list(told) for source, told in wrong_clients.items()}
    for source, facts in with_facts(clients, standing.catalog, standing.sources)[1].items():
        found.setdefault(source, []).extend(facts)
    wrong = [*sound_audit_rules((*modules_of(built_in_rules), *plugins))[1]]
    try:
        profiles_of(plugins)
    except PluginRejectedError as error:
        wrong += error.problems
    for problem in wrong:
        found.setdefault(problem.source, []).append(str(problem))
    return found


def _name(item: object) -> str:
    """What a feature, a profile, a rule, a hook, a client or a policy is called."""
    named = item.get("id") if isinstance(item, Mapping) else getattr(item, "name", None)
    return named if isinstance(named, str) else type(item).__name__
