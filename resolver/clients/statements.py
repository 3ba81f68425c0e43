"""The statements of source code and documents on one release and one table, before any measurement is used."""

from __future__ import annotations

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.claims import Claims, Statement
from deltaresolver.clients.client import Gate
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.table_needs import READS, USES, WRITES, feature_of, in_order


class Statements:
    """All claims about one act of one release, prepared to be judged for many tables.

    The most specific gate wins: on several demands together, then on one, then on all features. Gates win over the
    claims about a feature.
    """

    def __init__(self, release: ClientAtVersion, act: Act) -> None:
        self._claims = Claims(release.client, release.version, act)
        spoken = [gate for gate in release.client.gates if _speaks(gate, release, act)]
        self._always = tuple(_stated(gate, "") for gate in spoken if not gate.demands) or _basics(release, act)
        joint = [(gate.demands, _stated(gate, _named(gate))) for gate in spoken if len(gate.demands) > 1]
        self._joint = tuple((statement.demand, demands, statement) for demands, statement in joint)
        self._jointly_named = frozenset(statement.demand for _, statement in joint)
        self._jointly_looked_at = frozenset(demand for demands, _ in joint for demand in demands)
        self._single = {next(iter(gate.demands)): gate for gate in spoken if len(gate.demands) == 1}
        self._fixed: dict[str, Statement | None] = {}
        taken = (one for one in release.client.delegations if one.holds(release.path, act, release.version))
        self._taken_from_library = frozenset(demand for one in taken for demand in one.demands)

    def on(self, demands: frozenset[str]) -> tuple[Statement, ...]:
        """A statement for each demand that a claim or a gate is about; other demands are left out."""
        found = list(self._always)
        settled: frozenset[str] = frozenset()
        # Few tables have a demand of any gate, and testing one demand is quicker than testing all.
        if not self._jointly_named.isdisjoint(demands):
            for named, joint, statement in self._joint:
                if named in demands and joint <= demands:
                    found.append(statement)
                    settled |= joint
        for demand in in_order(demands):
            if demand in settled:
                continue
            said = self._fixed[demand] if demand in self._fixed else self._on_one(demand, demands)
            if said is not None:
                found.append(said)
        return tuple(found)

    def _on_one(self, demand: str, demands: frozenset[str]) -> Statement | None:
        gate = self._gate(demand)
        if gate is None and f"{demand.partition(':')[0]}:*" in self._taken_from_library:
            return None
        said = self._claims.on(demand, demands) if gate is None else _stated(gate, demand)
        if gate is not None or not self._claims.depends_on_table(demand):
            self._fixed[demand] = said
        return said

    def _gate(self, demand: str) -> Gate | None:
        return self._single.get(demand) or self._single.get(f"{demand.partition(':')[0]}:*")

    def left_to_library(self, kinds: frozenset[str], demands: frozenset[str]) -> frozenset[str]:
        """The demands of these kinds that no gate of the client itself is about."""
        return frozenset(one for one in demands if f"{one.partition(':')[0]}:*" in kinds and self._gate(one) is None)

    def looks_at(self, demand: str) -> bool:
        """Whether any claim depends on this demand; if none does, the demand changes no statement."""
        if demand in self._single or demand in self._jointly_looked_at:
            return True
        return f"{demand.partition(':')[0]}:*" in self._single or self._claims.look_at(demand)


def judge(release: ClientAtVersion, act: Act, demands: frozenset[str]) -> tuple[Statement, ...]:
    """The statements on one table. For many tables, use `Statements`."""
    return Statements(release, act).on(demands)


def _basics(release: ClientAtVersion, act: Act) -> tuple[Statement, ...]:
    """The statements on the act itself, for a table without demands."""
    client = release.client
    does = client.writes if act is Act.APPEND else client.reads
    if does is None:
        return ()
    if does:
        return (Statement("", Outcome.WORKS, client.knowledge, "everything the table demands is supported"),)
    verb = "write" if act is Act.APPEND else "read"
    return (Statement("", Outcome.REFUSES, client.knowledge, f"{client.id} does not {verb} Delta tables"),)


def _speaks(gate: Gate, release: ClientAtVersion, act: Act) -> bool:
    return gate.path in ("", release.path) and act in gate.acts and gate.holds(release.version)


def _stated(gate: Gate, demand: str) -> Statement:
    return Statement(demand, gate.outcome, gate.rank, gate.why, gate.source)


def worst(statements: tuple[Statement, ...]) -> Statement | None:
    """The statement that decides: a refusal first, since it comes before harm; then harm; then the rest.

    Among those by which the act works, the least sure one.
    """
    decisive: Statement | None = None
    for statement in statements:
        if decisive is None or _decides_over(statement, decisive):
            decisive = statement
    return decisive


def _decides_over(statement: Statement, other: Statement) -> bool:
    weight, other_weight = _WEIGHT[statement.outcome.place], _WEIGHT[other.outcome.place]
    if weight != other_weight:
        return weight > other_weight
    return statement.outcome is Outcome.WORKS and statement.rank.place > other.rank.place


_WEIGHT = [
    (Outcome.WORKS, Outcome.UNKNOWN, Outcome.SILENTLY_WRONG, Outcome.REFUSES).index(outcome) for outcome in Outcome
]


def _named(gate: Gate) -> str:
    """The demand of a gate to name as the cause: the most specific one."""
    # Sorted, so that every process names the same one of several: the order of a set differs from run to run.
    return min(gate.demands, key=lambda demand: (_specificity(demand), feature_of(demand) is None, demand), default="")


def _specificity(demand: str) -> int:
    for place, prefix in enumerate((USES, READS, WRITES)):
        if demand.startswith(prefix):
            return place + 1
    return 9 if demand.partition(":")[0] in ("reader", "writer") else 0
