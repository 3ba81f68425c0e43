"""Kits for the other parts of plugins: audit rules, clients, profiles, commit policies, post-commit hooks.

Each takes a plugin (a module or an object with hooks) and raises `ComplianceError` with everything that is wrong:

    check_audit_rules(my_module, found=[Metadata()], silent=[Metadata(configuration={"acme.owner": "me"})])
    check_policies(my_module, lets=[{"x.y": "1"}], refuses=[{"acme.locked": "true"}])
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import cast

import attrs

from deltaresolver import features
from deltaresolver.clients.installed import sound_declared_clients
from deltaresolver.clients.shipped import shipped_clients
from deltaresolver.errors import ComplianceError, DeltaResolverError, PluginRejectedError, PolicyRefusedError
from deltaresolver.model import Metadata
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.audit_table import TableAudit
from deltaresolver.plugins import (
    CommitExtensions,
    build_profile_catalog,
    collect_audit_rules,
    commit_extensions,
    modules_of,
    profiles_of,
    registered,
)
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.testing.life import SCHEMA, starter_for
from deltaresolver.transaction.alter.alter_table import alter_table
from deltaresolver.transaction.hooks import PostCommitHook
from deltaresolver.transaction.operation import operation
from deltaresolver.transaction.policies import CommitPolicy
from deltaresolver.transaction.starter import TransactionStarter

_NOW_MS = 1_700_000_000_000


def check_audit_rules(
    plugin: object, *, found: Sequence[Metadata] = (), silent: Sequence[Metadata] = (), audit: TableAudit | None = None
) -> None:
    """Run the audit rules of a plugin: each finds something on one of `found`, and none on `silent`.

    `audit` has the facts about the table beside its metadata. Each rule is also run on a table that cannot be read.
    """
    problems: list[str] = []
    try:
        rules = [one.rule for one in collect_audit_rules(registered((plugin,)))]
    except PluginRejectedError as error:
        raise _not_compliant("audit rules", map(str, error.problems)) from error
    if not rules:
        problems.append("The plugin brings no audit rule.")
    known = TableAudit("/lake/kit") if audit is None else audit
    tables = [_audited(known, metadata) for metadata in (None, *found, *silent)]
    for rule in rules:
        seen: list[list[Observation]] = []
        for table in tables:
            try:
                first, second = list(rule.check(table)), list(rule.check(table))
            except DeltaResolverError as error:
                problems.append(f"{rule.name}: {error.message}")
                continue
            problems.extend(_wrong_observations(rule, first))
            if first != second:
                problems.append(f"{rule.name} answers the same question differently.")
            seen.append(first)
        if len(seen) == len(tables):
            problems.extend(_missed(rule, seen[1 : 1 + len(found)], seen[1 + len(found) :]))
    if problems:
        raise _not_compliant("audit rules", problems)


def check_clients(plugin: object) -> None:
    """Check the clients of a plugin: their shape, and that each can be asked about its newest release."""
    catalogue, mistakes = sound_declared_clients(shipped_clients(), registered((plugin,)))
    problems = [one for of_source in mistakes.values() for one in of_source]
    known = set(shipped_clients().clients)
    own = [client for client in catalogue if client.id not in known]
    if not own and not problems:
        problems.append("The plugin brings no client.")
    # The package itself is always the last source.
    problems += [f"{client.id} names no source of what it states." for client in own if not client.sources[:-1]]
    if problems:
        raise _not_compliant("clients", problems)


def check_profiles(plugin: object, *, beside: Sequence[object] = ()) -> None:
    """Check the catalog profiles of a plugin: their shape, and that the features fit together on each platform."""
    plugins = (*modules_of(features), *registered((plugin, *beside)))
    try:
        own = [profile.name for profile, source in profiles_of(plugins).values() if source.package != "deltaresolver"]
        for name in own:
            build_profile_catalog(name, plugins)
    except PluginRejectedError as error:
        raise _not_compliant("profiles", map(str, error.problems)) from error
    if not own:
        raise _not_compliant("profiles", ["The plugin brings no profile."])


def check_policies(
    plugin: object, *, lets: Sequence[Mapping[str, str]] = (), refuses: Sequence[Mapping[str, str]] = ()
) -> None:
    """Run the commit policies of a plugin on tables with built-in features.

    Setting the properties of each of `lets` passes, and each of `refuses` ends with `PolicyRefusedError`, which says
    what to do; and nothing is committed then.
    """
    policies = cast("Sequence[CommitPolicy]", _extensions(plugin, "policies").policies)
    problems = [] if policies else ["The plugin brings no commit policy."]
    for properties, passes in [*((one, True) for one in lets), *((one, False) for one in refuses)]:
        problems.extend(_asked_of_policies(policies, properties, passes=passes))
    if problems:
        raise _not_compliant("policies", problems)


def check_hooks(plugin: object) -> None:
    """Run the post-commit hooks of a plugin after a commit: they do their work, and hear of a failure of theirs."""
    hooks = cast("Sequence[PostCommitHook]", _extensions(plugin, "hooks").hooks)
    problems = [] if hooks else ["The plugin brings no post-commit hook."]
    starter = _table()
    transaction = starter.start()
    transaction.commit([], operation("SET TBLPROPERTIES"))
    assert transaction.committed is not None
    for hook in hooks:
        for run in (partial(hook.run, transaction.committed), partial(hook.handle_error, OSError("run failed"), 1)):
            try:
                run()
            except DeltaResolverError as error:
                problems.append(f"{hook.name}: {error.message}")
    if problems:
        raise _not_compliant("hooks", problems)


# --- tables ---------------------------------------------------------------------------------------


def _table() -> TransactionStarter:
    starter = starter_for(None)
    transaction = starter.start()
    transaction.update_metadata_for_new_table(Metadata(id="kit", schema_string=SCHEMA))
    transaction.commit([], operation("CREATE TABLE"))
    return starter


def _asked_of_policies(
    policies: Sequence[CommitPolicy], properties: Mapping[str, str], *, passes: bool
) -> Iterator[str]:
    starter = _table()
    guarded = attrs.evolve(starter, policies=tuple(policies))
    shown = json.dumps(dict(properties))
    try:
        alter_table(guarded, properties)
    except PolicyRefusedError as refused:
        if passes:
            yield f"{shown} is refused: {refused.message}"
        if not refused.fix:
            yield f"{shown} is refused without a word of what to do."
    except DeltaResolverError as error:
        yield f"{shown}: {error.code} {error.message}"
    else:
        if not passes:
            yield f"{shown} is not refused."


def _audited(audit: TableAudit, metadata: Metadata | None) -> AuditedTable:
    if metadata is None:
        return AuditedTable(audit, None, None, starter_for(None).catalog, _NOW_MS)
    catalog = starter_for(None).catalog
    return AuditedTable(audit, resolve_new_table(metadata, catalog).protocol, metadata, catalog, _NOW_MS)


def _wrong_observations(rule: AuditRule, seen: Sequence[object]) -> Iterator[str]:
    for one in seen:
        if not isinstance(one, Observation):
            yield f"{rule.name} gave {type(one).__name__}, not an Observation."
        elif not isinstance(one.message, str) or not one.message.strip():
            yield f"{rule.name} gave an observation without a message."


def _missed(rule: AuditRule, found: Sequence[list[Observation]], silent: Sequence[list[Observation]]) -> Iterator[str]:
    if found and not any(found):
        yield f"{rule.name} finds nothing on any table of found."
    for one in silent:
        if one:
            yield f"{rule.name} finds something on a table of silent: {one[0].message}"


def _extensions(plugin: object, kind: str) -> CommitExtensions:
    try:
        return commit_extensions(registered((plugin,)))
    except PluginRejectedError as error:
        raise _not_compliant(kind, map(str, error.problems)) from error


def _not_compliant(kind: str, problems: Iterable[object]) -> ComplianceError:
    told = [str(problem) for problem in problems]
    return ComplianceError(
        f"The {kind} do not comply:" + "".join(f"\n  - {one}" for one in told),
        fix="Correct the plugin, or the examples given for it.",
        details={"kind": kind, "violations": told},
    )
