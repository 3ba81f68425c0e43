"""What source code and documents say of one release and one table, before any measurement is asked."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.planning.claims import Claims, Statement
from deltaresolver.planning.client_catalogue import ClientAtVersion
from deltaresolver.planning.clients import Gate
from deltaresolver.planning.evidence import Act, Outcome
from deltaresolver.planning.table_needs import READS, USES, WRITES


def judge(client: ClientAtVersion, act: Act, demands: frozenset[str]) -> tuple[Statement, ...]:
    """A statement for each demand that anybody says something about; demands nobody mentions are left out.

    The most specific gate is believed: on several demands together, then on one, then on all features;
    gates over the claims about a feature.
    """
    spoken = [gate for gate in client.client.gates if _speaks(gate, client, act)]
    found = [_stated(gate, "") for gate in spoken if not gate.demands] or list(_basics(client, act))
    joint = [gate for gate in spoken if len(gate.demands) > 1 and gate.demands <= demands]
    found += [_stated(gate, _named(gate)) for gate in joint]
    settled = {demand for gate in joint for demand in gate.demands}
    single = {next(iter(gate.demands)): gate for gate in spoken if len(gate.demands) == 1}
    claims = Claims(client.client, client.version, act, demands)
    for demand in sorted(demands - settled):
        gate = single.get(demand) or single.get(f"{demand.partition(':')[0]}:*")
        if gate is not None:
            found.append(_stated(gate, demand))
            continue
        statement = claims.on(demand)
        if statement is not None:
            found.append(statement)
    return tuple(found)


def _basics(client: ClientAtVersion, act: Act) -> Iterator[Statement]:
    """Whether the client does this at all, on a table that demands nothing."""
    does = client.client.writes if act is Act.APPEND else client.client.reads
    if does is True:
        yield Statement("", Outcome.WORKS, client.client.knowledge, "everything the table demands is supported")
    elif does is False:
        verb = "write" if act is Act.APPEND else "read"
        yield Statement(
            "", Outcome.REFUSES, client.client.knowledge, f"{client.client.id} does not {verb} Delta tables"
        )


def _speaks(gate: Gate, client: ClientAtVersion, act: Act) -> bool:
    return act in gate.acts and gate.path in ("", client.path) and gate.holds(client.version)


def _stated(gate: Gate, demand: str) -> Statement:
    return Statement(demand, gate.outcome, gate.rank, gate.why)


def worst(statements: tuple[Statement, ...]) -> Statement | None:
    """The statement that decides: a refusal stops a client before it can do harm, harm before the rest."""
    for outcome in (Outcome.REFUSES, Outcome.SILENTLY_WRONG, Outcome.UNKNOWN):
        for statement in statements:
            if statement.outcome is outcome:
                return statement
    return min(statements, key=lambda statement: statement.rank, default=None)


def _named(gate: Gate) -> str:
    """The demand to blame: the most specific one."""
    return min(gate.demands, key=_specificity, default="")


def _specificity(demand: str) -> int:
    for place, prefix in enumerate((USES, READS, WRITES)):
        if demand.startswith(prefix):
            return place + 1
    return 9 if demand.partition(":")[0] in ("reader", "writer") else 0
