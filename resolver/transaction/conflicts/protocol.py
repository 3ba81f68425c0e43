"""The winner changed the protocol, or the draft takes a feature away that the winner may have used."""

from __future__ import annotations

import attrs

from deltaresolver.errors import FeatureStillUsedError
from deltaresolver.model.behaviour import Draft, Winner
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.prepared import prepare
from deltaresolver.transaction.conflicts.conflict import Conflict, ConflictKind, conflict_with
from deltaresolver.transaction.conflicts.rules import ConflictRules
from deltaresolver.transaction.drop.removal import find_trace
from deltaresolver.transaction.protocol_support import ensure_agree, ensure_readable, ensure_writable
from deltaresolver.transaction.table_state import contents_of


def check_protocol(draft: Draft, winner: Winner, rules: ConflictRules) -> Draft | Conflict:
    """The draft under the winner's protocol.

    Raises `ProtocolUnsupportedError`, `ProtocolMismatchError`, `FeatureStillUsedError`.
    """
    protocol = winner.protocol
    if protocol is not None:
        ensure_readable(protocol, rules.client)
        ensure_writable(protocol, rules.client)
        supported = prepare(rules.catalog).supported(protocol)
        if _is_in_the_way(draft, protocol, supported, rules):
            changes = _describe(draft.before.protocol, protocol)
            return conflict_with(winner, ConflictKind.PROTOCOL, rules.scope.describe(), changes)
        draft = attrs.evolve(draft, protocol=protocol, supported=supported)
    dropped = draft.before.supported - draft.supported
    return _rebase_removal(draft, winner, dropped, rules) if dropped else draft


def _is_in_the_way(draft: Draft, protocol: Protocol, supported: frozenset[str], rules: ConflictRules) -> bool:
    """Whether the draft has a protocol of its own, the winner dropped features, or added one that aborts writers.

    On a platform that says so, any other protocol than the draft has read.
    """
    if any(isinstance(action, Protocol) for action in draft.actions):
        return True
    if rules.behaviours.protocol_changes_abort and protocol != draft.before.protocol:
        return True
    if draft.before.supported - supported:
        return True
    added = supported - draft.before.supported
    return rules.settings.enforce_feature_enablement and not added.isdisjoint(rules.behaviours.abort_writers)


def _describe(before: Protocol, after: Protocol) -> str:
    return f"from {before} to {after}"


def _rebase_removal(draft: Draft, winner: Winner, dropped: frozenset[str], rules: ConflictRules) -> Draft:
    """The draft, which drops a feature, if the winner left no trace of it."""
    snapshot = rules.snapshot_at(winner.table_version)
    if len(dropped) > 1:
        raise _still_used(winner, dropped, "only one feature can be dropped at a time")
    (name,) = dropped
    feature, table = rules.catalog.get(name), contents_of(snapshot, rules.catalog, draft.now_ms, draft.session)
    for settled_by, behaviour in rules.behaviours.all_with("rebase_removal"):
        if settled_by == name:
            return behaviour.rebase_removal(draft, winner, table)
    # What stands in the way at a version does not matter where nobody can read it, or the newest.
    for seen in (snapshot, rules.snapshot_at(None)):
        ensure_readable(seen.protocol, rules.client)
        ensure_agree(seen.protocol, seen.metadata, rules.catalog)
    if feature.removal is None:
        raise _still_used(
            winner, dropped, "the feature is not removable", "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE"
        )
    trace = find_trace(feature, feature.removal, table)
    if trace is not None:
        raise _still_used(winner, dropped, trace)
    return draft


def _still_used(
    winner: Winner, dropped: frozenset[str], reason: str, condition: str | None = None
) -> FeatureStillUsedError:
    names = sorted(dropped)
    return FeatureStillUsedError(
        f"{', '.join(names)} cannot be dropped after version {winner.table_version}: {reason}.",
        fix="Remove what uses the feature and drop it again.",
        details={"features": names, "winner_version": winner.table_version, "reason": reason},
        delta_condition=condition,
    )
