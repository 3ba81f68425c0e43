"""What source code and documents say of one release and one table, before any measurement is asked."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from deltaresolver.defaults import default_catalog
from deltaresolver.planning.clients import Client, ClientAtVersion, FeatureClaim, Gate, Support
from deltaresolver.planning.evidence import Act, Outcome, Rank
from deltaresolver.planning.table_needs import READS, USES, WRITES, feature_of
from deltaresolver.planning.versions import ClientVersion


@attrs.frozen(slots=True)
class Statement:
    """One demand judged: the outcome it leads to, who says so, and why."""

    demand: str
    outcome: Outcome
    rank: Rank
    why: str


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
    for demand in sorted(demands - settled):
        gate = single.get(demand) or single.get(f"{demand.partition(':')[0]}:*")
        if gate is not None:
            found.append(_stated(gate, demand))
            continue
        statement = _from_claims(client.client, client.version, act, demand, demands)
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


def _from_claims(
    client: Client, version: ClientVersion, act: Act, demand: str, demands: frozenset[str]
) -> Statement | None:
    kind, _, name = demand.partition(":")
    if kind == "reader":
        return _numbered(client, version, demand, int(name), reader=True)
    if kind == "writer":
        return _numbered(client, version, demand, int(name), reader=False) if act is Act.APPEND else None
    if f"{kind}:" == READS:
        return _listed(client, version, demand, name, "read", demands)
    if f"{kind}:" == WRITES:
        return _listed(client, version, demand, name, "write", demands) if act is Act.APPEND else None
    if f"{kind}:" == USES and act is Act.APPEND and WRITES + name not in demands:
        return _used_by_number(client, version, demand, name)
    return None


def _numbered(client: Client, version: ClientVersion, demand: str, number: int, *, reader: bool) -> Statement | None:
    side = "reader" if reader else "writer"
    if number >= (3 if reader else 7):
        since = client.reader_lists_since if reader else client.writer_lists_since
        if since is None:
            return None
        known = since.key <= version.key
        return _statement(client, demand, known, f"reads {side} feature lists from {since}")
    highest = highest_numbered(client, version, reader=reader)
    if highest is None:
        return None
    return _statement(client, demand, number <= highest, f"accepts {side} version {highest} at most")


def highest_numbered(client: Client, version: ClientVersion, *, reader: bool) -> int | None:
    """The highest numbered reader or writer version a release accepts; None where nothing says so."""
    if not client.legacy:
        return client.max_legacy_reader if reader else client.max_legacy_writer
    highest = 1 if reader else 0
    for step in client.legacy:
        if step.since.key <= version.key:
            highest = step.reader if reader else step.writer
    return highest


def _is_implied(client: Client, version: ClientVersion, feature: str) -> bool:
    """Whether a numbered version the release accepts already brings the feature."""
    known = default_catalog().find(feature)
    if known is None or known.legacy is None:
        return False
    reader = highest_numbered(client, version, reader=True)
    writer = highest_numbered(client, version, reader=False)
    return (
        reader is not None
        and writer is not None
        and known.legacy.reader_version <= reader
        and known.legacy.writer_version <= writer
    )


def _statement(client: Client, demand: str, accepted: bool, why: str) -> Statement:
    return Statement(demand, Outcome.WORKS if accepted else Outcome.REFUSES, client.knowledge, why)


def _listed(
    client: Client, version: ClientVersion, demand: str, feature: str, side: str, demands: frozenset[str]
) -> Statement | None:
    claim = client.features.get(feature)
    support: Support | None = getattr(claim, side) if claim is not None else None
    if claim is None or support is None:
        if client.closed_list:
            return _statement(client, demand, False, f"{feature} is not on its list")
        if _is_implied(client, version, feature):
            why = f"a numbered writer version it accepts brings {feature}"
            return Statement(demand, Outcome.WORKS, Rank.INFERRED, why)
        return Statement(demand, Outcome.UNKNOWN, client.knowledge, f"nothing is established about {feature}")
    unused: Support | None = getattr(claim, f"{side}_if_unused")
    if not support.at(version) and unused is not None and not is_used(feature, demands) and unused.at(version):
        support = unused
    return _claimed(client, claim, demand, support, version, side)


def _claimed(
    client: Client, claim: FeatureClaim, demand: str, support: Support, version: ClientVersion, side: str
) -> Statement:
    outcome = Outcome.WORKS if support.at(version) else Outcome.REFUSES
    note = f" ({claim.note})" if claim.note else ""
    return Statement(demand, outcome, claim.rank(client.knowledge), f"{side}s {claim.feature}: {support}{note}")


def _used_by_number(client: Client, version: ClientVersion, demand: str, feature: str) -> Statement | None:
    """A feature in use under a numbered version: whoever cannot write it when used must refuse."""
    claim = client.features.get(feature)
    if claim is None or claim.write is None:
        return None
    return _claimed(client, claim, demand, claim.write, version, "write")


def is_used(feature: str, demands: frozenset[str]) -> bool:
    """Whether a table switches a feature on or holds what it is about."""
    plain = feature.removesuffix("-preview").removesuffix("-dev")
    return any(feature_of(demand) == plain for demand in _beyond_lists(demands))


def _beyond_lists(demands: frozenset[str]) -> Iterator[str]:
    return (demand for demand in demands if not demand.startswith((READS, WRITES)))
