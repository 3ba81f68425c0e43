"""A table as a change leaves it: the change is carried out for real, on a table of nothing but metadata.

So the results are those of `alter` and `sql`, refusals included, and one change follows on another. The table lies
in a folder that is removed again; of the real table only its metadata is read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import attrs

from deltaresolver.clients.table_facts import facts_after
from deltaresolver.model.actions import Action, encode_actions
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.table_impact import state_without
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.table import Table
from deltaresolver.transaction.alter.announce import announce_upgrade
from deltaresolver.transaction.ddl.statements import CreateStatement, DropFeatureStatement, Statement

_ID = "00000000-0000-4000-8000-000000000000"


def carried_out(
    before: PlanState | None, statement: Statement, catalog: FeatureCatalog, session: Mapping[str, str]
) -> PlanState:
    """A table after a statement; `before` is None where there is none yet. Raises what the statement raises."""
    if before is not None and isinstance(statement, DropFeatureStatement):
        return state_without(before, statement.feature, truncate_history=statement.truncate_history)
    with tempfile.TemporaryDirectory(prefix="deltaresolver-check-") as folder:
        if before is not None:
            _write(Path(folder), before)
        table = Table(folder, catalog=catalog, session=session)
        table.carry_out(statement)
        after = table.update()
        domains = {name: domain for name, domain in after.domains.items() if not domain.removed}
        if before is None or (isinstance(statement, CreateStatement) and before.table_version is None):
            return PlanState(catalog, after.protocol, after.metadata, domains=domains)
        facts = facts_after(before.facts, before.protocol, after.protocol, before.metadata, after.metadata)
        return attrs.evolve(before, protocol=after.protocol, metadata=after.metadata, facts=facts, domains=domains)


def _write(folder: Path, state: PlanState) -> None:
    log = folder / "_delta_log"
    log.mkdir()
    metadata = state.metadata if state.metadata.id else attrs.evolve(state.metadata, id=_ID)
    actions: list[Action] = [state.protocol, metadata, *state.domains.values()]
    (log / f"{0:020}.json").write_bytes(encode_actions(actions))


def plain_table(catalog: FeatureCatalog, metadata: Metadata | None = None) -> PlanState:
    """A table that uses no features, or a table with just this metadata."""
    asked = Metadata() if metadata is None else metadata
    return PlanState(catalog, resolve_new_table(asked, catalog).protocol, asked)


def with_metadata(before: PlanState, metadata: Metadata, protocol: Protocol | None) -> PlanState:
    """A table after it is given other metadata, and the protocol that comes with it unless one is given."""
    after = protocol or announce_upgrade(before.metadata, metadata, before.protocol, before.catalog).protocol
    facts = facts_after(before.facts, before.protocol, after, before.metadata, metadata)
    return attrs.evolve(before, protocol=after, metadata=metadata, facts=facts)
