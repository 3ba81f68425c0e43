"""plan: the cheapest steps from a table as it is to a target.

The cost model. A plan costs what its steps cost together, compared in this order: how often history is cut (which
cannot be undone and waits a day), bytes of data written again, files written again, the number of steps, how many of
them abort writers in flight, and how many properties or constraints are given up or features added. So the plan is
the smallest set of steps among those that do the least damage, and since every step costs something, none of its
steps is superfluous. The search visits every state that can be reached more cheaply; it is not greedy.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import attrs

from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.defaults import default_catalog
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.planning.commits import guarded_clients
from deltaresolver.planning.kept_acts import KeptActs, kept_clients
from deltaresolver.planning.lower_forms import remarks_on
from deltaresolver.planning.search import LIMITS, Limits, cheapest_way
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.steps import Cost, Step
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.planning.targets import Target, read_target
from deltaresolver.resolution.instructions import without_instructions
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.table import Table
from deltaresolver.value import Printable


@attrs.frozen(slots=True, eq=False)
class Plan(Printable):
    """The steps in order, or the reasons why there are none.

    `notes` point out features that are supported and not enabled, and lower forms that are possible.
    """

    target: Target
    start: PlanState
    end: PlanState
    steps: tuple[Step, ...]
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Whether the target can be reached."""
        return not self.reasons

    @property
    def cost(self) -> Cost:
        """The cost of all steps together."""
        return sum((step.cost for step in self.steps), Cost())

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON, in the form that `--json` prints."""
        return {
            "target": str(self.target),
            "possible": self.is_possible,
            "reasons": list(self.reasons),
            "before": self.start.protocol.to_json(),
            "after": self.end.protocol.to_json(),
            "cost": attrs.asdict(self.cost),
            "steps": [step.to_json() for step in self.steps],
            "notes": list(self.notes),
        }


def plan(  # noqa: PLR0913 - each argument is a part of the question
    table: Table | Metadata | PlanState | str | os.PathLike[str],
    target: Any,
    *,
    protocol: Protocol | None = None,
    catalog: FeatureCatalog | None = None,
    knowledge: ClientKnowledge | None = None,
    keep: str | Iterable[str] | KeptActs = (),
    limits: Limits = LIMITS,
) -> Plan:
    """The cheapest steps from a table, or its location, to a target, by the cost model of this module; writes nothing.

    `target` is a client (`"trino@468"` to read and append, `"trino@468:read"`), a protocol not to exceed (`"1,2"`,
    `(1, 2)`, a Protocol), a feature to drop (`"-deletionVectors"`), or a list of those that shall hold together.
    No step takes from the clients in `keep` what they can do now: `"trino@468"` reads and appends, `"trino@468:read"`
    only reads, `"newest"` is the newest known release of every client. `limits` end a search that takes too long.
    Of bare metadata, `protocol` is that of a new table unless given, and no data files are supposed. Raises
    `PlanTargetError`, `UnknownClientError`, `ClientVersionUnreadableError`, `UnknownClientPathError`, and what
    reading the table raises. Where no way exists nothing is raised: see `Plan.reasons`.
    """
    start = _state(table, protocol, catalog)
    known = default_knowledge() if knowledge is None else knowledge
    wanted = read_target(target, start.catalog, known)
    named = [keep] if isinstance(keep, str) else keep
    kept = named if isinstance(named, KeptActs) else kept_acts(start, named, known)
    found = cheapest_way(start, wanted, limits, allow=None if kept is None else kept.allow)
    notes = tuple(remarks_on(start))
    if found.steps is None:
        # Most tables have a plan.
        from deltaresolver.planning.no_way import harm_of_every_way, reasons_against  # noqa: PLC0415

        reasons = harm_of_every_way(start, wanted, kept, limits) if kept is not None else ()
        return Plan(wanted, start, found.end, (), reasons or reasons_against(wanted, found), notes)
    return Plan(wanted, start, found.end, found.steps, (), notes)


def kept_acts(start: PlanState, keep: Iterable[str], knowledge: ClientKnowledge) -> KeptActs | None:
    """The verdicts on a table now for the clients to keep; None without such clients. Raises as `kept_clients`.

    The clients to keep are those of `keep` and those in the table's guard property.
    """
    texts = (*keep, *guarded_clients(start.metadata))
    return kept_clients(texts, knowledge).on(start.needs) if texts else None


def _state(
    table: Table | Metadata | PlanState | str | os.PathLike[str],
    protocol: Protocol | None,
    catalog: FeatureCatalog | None,
) -> PlanState:
    if isinstance(table, PlanState):
        return table
    if isinstance(table, Table | str | os.PathLike):
        return state_of_table(table if isinstance(table, Table) else Table(table, catalog=catalog))
    known = default_catalog() if catalog is None else catalog
    given = resolve_new_table(table, known).protocol if protocol is None else protocol
    return PlanState(known, given, table.with_configuration(without_instructions(table.configuration)))
