"""`deltaresolver.impact`: the impact of a change, for tables and metadata in the forms that users have."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import attrs

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.table_facts import facts_after
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.defaults import default_catalog
from deltaresolver.errors import FeatureDropRefusedError
from deltaresolver.model.metadata import Metadata
from deltaresolver.planning.drops import why_kept
from deltaresolver.planning.impact import Impact, needs_after_setting
from deltaresolver.planning.impact import impact as impact_of_needs
from deltaresolver.planning.moves import moves, purged
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.steps import StepKind
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.resolution.resolve import resolve_known_part, resolve_new_table
from deltaresolver.table import Table

_DROPS = (StepKind.DROP, StepKind.DROP_TRUNCATING, StepKind.DROP_REWRITING)
Described = Table | Metadata | PlanState | TableNeeds | str | os.PathLike[str]
"""What describes a table; text is the location of one."""


def impact(
    before: Described,
    after: Described | Mapping[str, str],
    clients: str | Iterable[str | ClientAtVersion] | None = None,
    knowledge: ClientKnowledge | None = None,
) -> Impact:
    """Which acts of which clients get worse or better between two tables, or between a table before and after a change.

    A table is given as one, by its location, or as metadata.
    `after` is a table too, or metadata that `before` is altered to, or only the properties that are set. Metadata for
    `before` is that of a new table. Every known client's newest release is asked about unless `clients` names some,
    such as `"trino@468"`. Raises `UnknownClientError`, `ClientVersionUnreadableError`, `UnknownClientPathError`, and
    what reading the table or resolving the change raises.
    """
    if isinstance(clients, str):
        clients = [clients]
    if isinstance(before, TableNeeds):
        if not isinstance(after, TableNeeds):
            raise TypeError("needs can only be compared with needs")
        return impact_of_needs(before, after, clients, knowledge)
    start = _state(before)
    return impact_of_needs(start.needs, _needs_after(start, after), clients, knowledge)


def state_without(state: PlanState, feature: str, *, truncate_history: bool = False) -> PlanState:
    """The state of a table after DROP FEATURE, with its files rewritten where that is needed.

    Raises `FeatureDropRefusedError` where no drop takes the feature away.
    """
    found = {
        step.kind: after
        for start in (purged(state), state)
        for step, after in moves(start)
        if step.kind in _DROPS and step.names == (feature,)
    }
    cut = found.get(StepKind.DROP_TRUNCATING)
    kept = found.get(StepKind.DROP, found.get(StepKind.DROP_REWRITING))
    after = (cut or kept) if truncate_history else (kept or cut)
    if after is not None:
        return after
    known = state.catalog.get(feature)
    reason = why_kept(state, known) if known.name in state.supported else None
    raise FeatureDropRefusedError(
        f"{known.name} cannot be dropped from this table: {(reason or 'it does not support the feature').rstrip('.')}.",
        fix="Ask about another feature, or first remove what keeps this one.",
        details={"feature": known.name, "reason": reason},
    )


def _state(table: Table | Metadata | PlanState | str | os.PathLike[str]) -> PlanState:
    if isinstance(table, PlanState):
        return table
    if isinstance(table, Table | str | os.PathLike):
        return state_of_table(table if isinstance(table, Table) else Table(table))
    catalog = default_catalog()
    return PlanState(catalog, resolve_new_table(table, catalog).protocol, table)


def _needs_after(start: PlanState, after: Described | Mapping[str, str]) -> TableNeeds:
    if isinstance(after, TableNeeds):
        return after
    if isinstance(after, Metadata):
        protocol = resolve_known_part(after, start.protocol, start.catalog, before=start.metadata).protocol
        facts = facts_after(start.facts, start.protocol, protocol, start.metadata, after)
        return attrs.evolve(start, protocol=protocol, metadata=after, facts=facts).needs
    if isinstance(after, Mapping):
        return needs_after_setting(start.protocol, start.metadata, after, start.facts, start.catalog)
    return _state(after).needs
