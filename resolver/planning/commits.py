"""Why nothing can be committed to a planned state of a table, by the checks of the transaction itself."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

from deltaresolver.errors import DeltaResolverError, PropertyInvalidError
from deltaresolver.log.checkpoint.understood import find_refusal
from deltaresolver.log.upkeep.retention import truncation_retention_ms
from deltaresolver.model.behaviour import Draft, TableState
from deltaresolver.model.catalog import FeatureCatalog, Memo
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.support import SAFE, Task
from deltaresolver.planning.client_guard import GUARDED_CLIENTS
from deltaresolver.planning.state import PlanState, in_half_a_sentence
from deltaresolver.resolution.algebra import unknown_features
from deltaresolver.resolution.components import unlisted_features
from deltaresolver.resolution.prepared import prepare
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.metadata.isolation import table_isolation
from deltaresolver.transaction.metadata.update import MetadataUpdate
from deltaresolver.transaction.operation import operation

_NOBODY = "00000000-0000-0000-0000-000000000000"


@lru_cache(maxsize=16)
def what_forbids_commits(state: PlanState) -> str | None:
    """Why no step can be taken from a state; None if nothing prevents it."""
    if state.refusal is not None:
        return f"nothing can be committed to the table: {state.refusal}"
    strangers = ", ".join(sorted(unknown_features(state.protocol, state.catalog)))
    if strangers:
        return f"the table has {strangers}, which this release does not know"
    for feature in state.catalog.derived(_unwritten):
        reason = feature.support.why_refused(Task.WRITE, state.metadata) if feature.name in state.supported else None
        if reason is not None:
            because = f": {reason}" if reason else ""
            return f"the table has {feature.name}, which this library does not write{because}"
    unnamed = ", ".join(sorted(_unnamed(state)))
    if unnamed:
        return f"the table has a need for {unnamed}, which its protocol does not name"
    try:
        table_isolation(state.metadata)
        behaviours_of(state.catalog).amended(_empty_commit(_table(state)))
        _guarded(state.metadata)
    except DeltaResolverError as error:
        return f"nothing can be committed to the table: {in_half_a_sentence(error)}"
    return None


def what_refuses_metadata(state: PlanState) -> str | None:
    """Why the metadata of a state cannot be committed, so that no step leads there; None if it can."""
    known, key = state.catalog.derived(_no_refusals_yet), _by_rules(state)
    found = known.find(key)
    return (known.keep(key, _refusal(state)) if found is None else found) or None


def _refusal(state: PlanState) -> str:
    """The same, with an empty text if it can."""
    table = _table(PlanState(state.catalog, state.protocol, state.metadata))
    try:
        MetadataUpdate(table, state.catalog, {}, lambda: _NOBODY).stage(state.metadata)
    except DeltaResolverError as error:
        return in_half_a_sentence(error)
    return ""


def what_keeps_history(state: PlanState) -> str | None:
    """Why history of a table is never truncated here, however long one waits; None if it can be."""
    try:
        truncation_retention_ms(state.metadata)
    except PropertyInvalidError as error:
        return in_half_a_sentence(error)
    return find_refusal(state.protocol, state.metadata, state.catalog, is_asked_for=True)


def _table(state: PlanState) -> TableState:
    """The state in the form that a transaction reads a table."""
    return TableState(
        0 if state.table_version is None else state.table_version,
        state.protocol,
        state.metadata.sealed(),
        prepare(state.catalog).supported(state.protocol),
        state.domains,
        find_files=lambda: state.examples,
    )


def _empty_commit(table: TableState) -> Draft:
    """A commit that changes nothing. It is not checked by policies, which judge a change and not a table."""
    return Draft(
        before=table,
        table_version=table.table_version + 1,
        protocol=table.protocol,
        metadata=table.metadata,
        supported=table.supported,
        actions=(),
        operation=operation("EMPTY"),
        now_ms=0,
    )


def guarded_clients(metadata: Metadata) -> tuple[str, ...]:
    """The clients in the table's own guard property, which no step may lock out; empty where one is unknown."""
    try:
        return _guarded(metadata)
    except DeltaResolverError:
        return ()  # then nothing can be committed at all


def _guarded(metadata: Metadata) -> tuple[str, ...]:
    """The same. Raises where a client is unknown, so that no change of the table can be judged."""
    guarded = metadata.configuration.get(GUARDED_CLIENTS)
    if guarded is None:
        return ()
    # Only tables with the property need it.
    from deltaresolver.planning.kept_clients import KeepClients  # noqa: PLC0415

    keep = KeepClients.named(guarded)
    keep.ensure_known()
    return keep.clients


def _unnamed(state: PlanState) -> frozenset[str]:
    """The required features that the protocol lacks. Metadata that cannot be read is reported elsewhere."""
    known, key = state.catalog.derived(_none_unnamed_yet), _by_rules(state)
    found = known.find(key)
    if found is None:
        try:
            found = unlisted_features(state.protocol, state.metadata, state.catalog)
        except DeltaResolverError:
            found = frozenset()
        known.keep(key, found)
    return found


def _by_rules(state: PlanState) -> Hashable | None:
    """Equal for states with equal schema, properties, partitioning and protocol; None where these take much memory."""
    rules = state.metadata.for_rules
    return None if rules is None else (rules, tuple(state.metadata.partition_columns), state.protocol)


def _no_refusals_yet(_: FeatureCatalog) -> Memo[str]:
    return Memo()


def _none_unnamed_yet(_: FeatureCatalog) -> Memo[frozenset[str]]:
    return Memo()


def _unwritten(catalog: FeatureCatalog) -> tuple[TableFeature, ...]:
    """The features with which this library commits to no table, or not to every table."""
    return tuple(sorted((one for one in catalog if one.support.write is not SAFE), key=lambda one: one.name))
