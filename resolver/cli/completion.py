"""What the shell offers when somebody presses Tab: features, clients, properties, profiles, rules and paths.

Each function is a `shell_complete` of click's. Whatever goes wrong, nothing is offered: a shell has no place for it.
"""

# ruff: noqa: ARG001 - the signature is click's

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator

import click
from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _offer(what: str, names: Callable[[], Iterable[tuple[str, str]]]) -> Completer:
    """A completer that offers the names, each with a remark, that begin like what is typed; case does not matter."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        with contextlib.suppress(Exception):
            typed = incomplete.lower()
            return [CompletionItem(name, help=text) for name, text in names() if name.lower().startswith(typed)]
        return []

    complete.__doc__ = f"Offer {what}."
    return complete


def complete_paths(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files and folders, which the shell itself knows."""
    return [CompletionItem(incomplete, type="file")]


def complete_folders(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Folders, which the shell itself knows."""
    return [CompletionItem(incomplete, type="dir")]


def _features() -> Iterator[tuple[str, str]]:
    from deltaresolver.defaults import default_catalog

    catalog = default_catalog()
    return ((feature.name, feature.summary) for feature in catalog)


def _clients() -> Iterator[tuple[str, str]]:
    from deltaresolver.clients.shipped import default_knowledge

    catalogue = default_knowledge().catalogue
    for client in catalogue:
        yield client.id, client.name
        if client.latest_seen is not None:
            yield f"{client.id}@{client.latest_seen}", "the newest release seen"


def _properties() -> Iterator[tuple[str, str]]:
    from deltaresolver.defaults import default_catalog

    catalog = default_catalog()
    from deltaresolver.cli.inputs.property_changes import known_properties

    known = known_properties(catalog)
    return ((name, "") for name in sorted(known.values()))


def _assignments() -> Iterator[tuple[str, str]]:
    """With each value where these are few: a shell that has one name to offer puts a blank behind it."""
    from deltaresolver.defaults import default_catalog

    values: dict[str, tuple[str, ...]] = {}
    for feature in default_catalog():
        values |= _values(feature.trigger)
    for name, _ in _properties():
        yield from ((f"{name}={value}", "") for value in values.get(name, ("",)))


def _values(rule: object) -> dict[str, tuple[str, ...]]:
    """The values that a trigger knows of each property."""
    from deltaresolver.model.rules import PropertyIsOneOf, PropertyIsTrue

    if isinstance(rule, PropertyIsTrue):
        return dict.fromkeys((rule.key, *rule.aliases), ("true", "false"))
    if isinstance(rule, PropertyIsOneOf):
        return {rule.key: (*rule.values, *rule.harmless)}
    found: dict[str, tuple[str, ...]] = {}
    for part in (*getattr(rule, "rules", ()), getattr(rule, "rule", None)):
        found |= {} if part is None else _values(part)
    return found


def _profiles() -> Iterator[tuple[str, str]]:
    from deltaresolver.cli.inputs.catalog_profiles import known_profiles

    return ((name, "") for name in known_profiles())


def _severities() -> Iterator[tuple[str, str]]:
    from deltaresolver.audit.scan.rule_set import default_rules

    rules = default_rules().rules
    yield from ((name, "") for name in ("info", "warning", "error", "regression"))
    yield from ((rule.name, "") for rule in rules)


complete_features = _offer("features", _features)
complete_clients = _offer("clients", _clients)
complete_properties = _offer("table properties", _properties)
complete_assignments = _offer("table properties with their values", _assignments)
complete_profiles = _offer("profiles", _profiles)
complete_severities = _offer("severities and rules", _severities)
