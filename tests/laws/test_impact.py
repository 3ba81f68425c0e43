"""Laws of verdicts and impact: what is lost one way is gained back, and demanding less never hurts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.client import Client
from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.measured.other_releases import known_releases
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.statements import judge, worst
from deltaresolver.clients.table_facts import CheckpointForm, TableFacts
from deltaresolver.clients.table_needs import USES, TableNeeds, final_name
from deltaresolver.defaults import default_catalog
from deltaresolver.model import Metadata, Protocol
from deltaresolver.planning.impact import Change, Direction, impact, impact_over
from deltaresolver.resolution.prepared import prepare

KNOWN = default_knowledge()
PREPARED = prepare(default_catalog())
FEATURES = sorted(feature.name for feature in default_catalog())
RELEASES = [
    ClientAtVersion(client, version, path)
    for client in KNOWN.catalogue
    for path in client.paths or ("",)
    for version in (known_releases(client, path, KNOWN) or (KNOWN.catalogue.parse(client.id).version,))
]

releases = st.sampled_from(RELEASES)
facts = st.builds(
    TableFacts,
    deletion_vectors=st.none() | st.booleans(),
    change_files=st.none() | st.booleans(),
    checkpoint=st.none() | st.sampled_from(CheckpointForm),
    commits_cleaned=st.none() | st.booleans(),
    domains=st.none() | st.just(frozenset()) | st.just(frozenset({"delta.clustering"})),
)


# Made once: a strategy that is made for each draw is also checked for each draw.
numbered = st.sampled_from([*(Protocol(1, writer) for writer in range(1, 7)), Protocol(2, 5), Protocol(2, 6)])
listed = st.sets(st.sampled_from(FEATURES), max_size=5).map(PREPARED.closure).map(PREPARED.lowest_protocol)
protocols = numbered | listed


@st.composite
def tables(draw: st.DrawFn) -> TableNeeds:
    protocol = draw(protocols)
    needs = TableNeeds.of(protocol, Metadata(), draw(facts))
    plain = sorted({name.removesuffix("-preview").removesuffix("-dev") for name in protocol.listed_features})
    used = {name for name in plain if draw(st.booleans())}
    return TableNeeds(needs.demands | {USES + name for name in used})


@settings(deadline=None, max_examples=150)
@given(tables(), tables(), st.lists(releases, min_size=1, max_size=6))
def test_what_is_lost_one_way_is_gained_the_other(
    before: TableNeeds, after: TableNeeds, clients: list[ClientAtVersion]
) -> None:
    there, back = impact(before, after, clients), impact(after, before, clients)
    assert sorted(map(reversed_change, there.losses), key=str) == sorted(back.gains, key=str)
    assert sorted(map(reversed_change, there.gains), key=str) == sorted(back.losses, key=str)


def reversed_change(change: Change) -> Change:
    direction = Direction.GAIN if change.direction is Direction.LOSS else Direction.LOSS
    return Change(change.client, change.act, direction, change.better, change.worse, change.would_do)


@settings(deadline=None)
@given(tables(), st.lists(releases, min_size=1, max_size=6))
def test_no_change_has_no_impact(needs: TableNeeds, clients: list[ClientAtVersion]) -> None:
    assert impact(needs, needs, clients).changes == ()


@settings(deadline=None)
@given(st.lists(st.tuples(tables(), tables()), max_size=6), st.lists(releases, min_size=1, max_size=3))
def test_many_tables_are_the_sum_of_single_ones(
    pairs: list[tuple[TableNeeds, TableNeeds]], clients: list[ClientAtVersion]
) -> None:
    lake = impact_over(pairs, clients)
    losses = sum(len(one.losses) * tables for one, tables in lake.impacts)
    assert losses == sum(len(impact(*pair, clients).losses) for pair in pairs)
    assert sum(lake.losing_tables().values()) == losses


def has_monotone_evidence(client: Client) -> bool:
    """No rule makes a table acceptable by what it demands more, and none turns a refusal into silent harm."""
    return not any(
        gate.outcome is Outcome.SILENTLY_WRONG or (len(gate.demands) > 1 and gate.outcome is not Outcome.REFUSES)
        for gate in client.gates
    ) and not any(
        code in release.codes[act]
        for where, measured in KNOWN.measurements.releases.items()
        if where[0] == client.id
        for release in measured
        for act in Act
        for code in "w"
    )


MONOTONE = [release for release in RELEASES if has_monotone_evidence(release.client)]


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(MONOTONE), tables(), st.data(), st.sampled_from(Act))
def test_demanding_less_is_never_worse(
    release: ClientAtVersion, needs: TableNeeds, data: st.DataObject, act: Act
) -> None:
    features = sorted(needs.features)
    kept = data.draw(st.sets(st.sampled_from(features))) if features else set()
    # A preview goes together with its final form: a table uses by that name what it lists by the other.
    dropped = {name for name in features if final_name(name) not in map(final_name, kept)}
    fewer = TableNeeds(frozenset(demand for demand in needs.demands if not about(demand, dropped)))
    assert fewer <= needs
    less, more = KNOWN.verdict(release, fewer, act), KNOWN.verdict(release, needs, act)
    assert less.outcome <= more.outcome, (less, more)


def about(demand: str, features: set[str]) -> bool:
    return bool(TableNeeds(frozenset({demand})).features & features)


NOT_MEASURED = [release for release in RELEASES if (release.client.id, release.path) not in KNOWN.measurements.releases]


@settings(deadline=None)
@given(st.sampled_from(NOT_MEASURED), tables(), st.sampled_from(Act))
def test_leaving_out_what_does_not_matter_changes_nothing(
    release: ClientAtVersion, needs: TableNeeds, act: Act
) -> None:
    decisive = worst(judge(release, act, needs.demands))
    expected = Outcome.UNKNOWN if decisive is None else decisive.outcome
    assert KNOWN.verdict(release, needs, act).outcome is expected


@settings(deadline=None)
@given(releases, tables(), st.sampled_from(Act))
def test_every_verdict_has_a_reason_and_how_it_is_known(release: ClientAtVersion, needs: TableNeeds, act: Act) -> None:
    verdict = KNOWN.verdict(release, needs, act)
    assert verdict.reason
    assert isinstance(verdict.evidence.rank, Rank)
    assert verdict.act is act
    assert verdict.outcome is Outcome.WORKS or verdict.demand is None or verdict.demand in needs.demands


@settings(deadline=None)
@given(releases, tables(), st.sampled_from(Act))
def test_asking_twice_or_in_another_process_gives_the_same(
    release: ClientAtVersion, needs: TableNeeds, act: Act
) -> None:
    assert KNOWN.verdict(release, needs, act) == KNOWN.verdict(release, TableNeeds(frozenset(set(needs.demands))), act)


READING = [release for release in RELEASES if release.client.reads is not False]


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(READING), tables(), st.sampled_from([Act.READ, Act.APPEND]))
def test_what_cannot_be_opened_is_neither_read_nor_appended_to(
    release: ClientAtVersion, needs: TableNeeds, act: Act
) -> None:
    opened, done = KNOWN.verdict(release, needs, Act.OPEN), KNOWN.verdict(release, needs, act)
    assert opened.outcome is not Outcome.REFUSES or done.outcome is Outcome.REFUSES, (opened, done)
