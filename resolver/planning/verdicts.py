"""Verdicts: whether a release of a client will open, read or append to a table, and how that is known.

Measurements are believed first. Where a release was not measured, its neighbours are asked, and what
source code and documents say decides only on which side of a change it stands. Where a table's demands
were never measured together, its verdict is put together from tables that demand less.
"""

from __future__ import annotations

import attrs

from deltaresolver.planning.claims import Statement
from deltaresolver.planning.client_catalogue import ClientAtVersion, ClientCatalogue
from deltaresolver.planning.evidence import Act, Evidence, Outcome, Rank
from deltaresolver.planning.measurements import Bracket, MeasuredRelease, Measurements
from deltaresolver.planning.statements import judge, worst
from deltaresolver.planning.table_needs import TableNeeds, feature_of, for_writers
from deltaresolver.planning.verdict import Finding, Verdict


@attrs.define(eq=False)
class ClientKnowledge:
    """The catalogue and the measurements together, and every verdict given so far."""

    catalogue: ClientCatalogue
    measurements: Measurements = attrs.field(factory=Measurements)
    _given: dict[tuple[str, object, str, Act, frozenset[str]], Verdict] = attrs.field(factory=dict, init=False)

    def verdict(self, client: str | ClientAtVersion, needs: TableNeeds, act: Act) -> Verdict:
        """The verdict on one act. Raises what `ClientCatalogue.parse` raises when `client` is a text."""
        release = self.catalogue.parse(client) if isinstance(client, str) else client
        if release.version.library is None and release.client.depends_on_library:
            release = self._with_usual_library(release)
        key = (release.client.id, release.version, release.path, act, needs.demands)
        given = self._given.get(key)
        if given is None:
            given = self._given[key] = self._decide(release, needs.demands, act)
        return given

    def verdicts(self, client: str | ClientAtVersion, needs: TableNeeds) -> dict[Act, Verdict]:
        """The verdict on each act."""
        return {act: self.verdict(client, needs, act) for act in Act}

    def _with_usual_library(self, release: ClientAtVersion) -> ClientAtVersion:
        """Where the library beside the client decides but was not named: the one it was measured with."""
        measured = self.measurements.releases.get((release.client.id, release.path), ())
        no_later = [one.version for one in measured if one.version.key <= release.version.key]
        if not no_later:
            return release
        library = no_later[-1].library
        text = f"{release.version} ({library})" if library is not None else release.version.text
        return attrs.evolve(release, version=attrs.evolve(release.version, text=text, library=library))

    def _decide(self, release: ClientAtVersion, demands: frozenset[str], act: Act) -> Verdict:
        finding = self._find(release, demands, act)
        feature = feature_of(finding.demand) if finding.demand else None
        return Verdict(
            release.client.id,
            str(release.version),
            release.path,
            act,
            finding.outcome,
            finding.why or _reason(finding),
            Evidence(finding.rank, finding.basis),
            feature,
            finding.demand or None,
            finding.warning,
        )

    # --- one finding ----------------------------------------------------------------------------

    def _find(self, release: ClientAtVersion, demands: frozenset[str], act: Act) -> Finding:
        if release.version.library is None and release.client.depends_on_library:
            why = f"it depends on the library beside it; write the version like {release.version} (deltalake 1.6.3)"
            return Finding(Outcome.UNKNOWN, Rank.INFERRED, "", None, why)
        position = self.measurements.positions.get(demands)
        if position is not None:
            finding = self._from_runs(release, position, act)
            if finding is not None:
                return self._with_blame(release, demands, act, finding)
        return self._from_parts(release, demands, act) or self._from_statements(release, demands, act)

    def _with_blame(self, release: ClientAtVersion, demands: frozenset[str], act: Act, finding: Finding) -> Finding:
        """Add which demand is at fault, as far as statements or smaller tables tell."""
        if finding.outcome is Outcome.WORKS:
            return finding
        statement = worst(self._statements(release, demands, act))
        if statement is not None and statement.outcome is finding.outcome:
            return attrs.evolve(finding, demand=statement.demand, why=statement.why)
        return attrs.evolve(finding, demand=self._first_at_fault(release, demands, act))

    def _first_at_fault(self, release: ClientAtVersion, demands: frozenset[str], act: Act) -> str | None:
        """What this table demands beyond the largest smaller tables that work."""
        fine: set[str] = set()
        for position in self.measurements.subsets(demands):
            smaller = self._from_runs(release, position, act)
            if smaller is not None and smaller.outcome is Outcome.WORKS:
                fine |= self.measurements.demand_sets[position]
        left = sorted(demands - fine or demands, key=lambda demand: (feature_of(demand) is None, demand))
        return left[0] if left else None

    # --- from measured runs ---------------------------------------------------------------------

    def _from_runs(self, release: ClientAtVersion, position: int, act: Act) -> Finding | None:
        """What measured releases of this path tell about tables of exactly these demands."""
        bracket = self.measurements.bracket(release.client.id, release.path, release.version, position, act)
        if bracket.at is not None:
            outcome = bracket.at.outcome(position, act)
            return None if outcome is None else Finding(outcome, Rank.MEASURED, f"measured at {release.version}")
        if bracket.below is None and bracket.above is None:
            return None
        return self._between(release, bracket, position, act)

    def _between(self, release: ClientAtVersion, bracket: Bracket, position: int, act: Act) -> Finding | None:
        demands = self.measurements.demand_sets[position]
        said = self._said(release, demands, act)
        sides = [side for side in (bracket.below, bracket.above) if side is not None]
        outcomes = [side.outcome(position, act) or Outcome.UNKNOWN for side in sides]
        said_at = [self._said(attrs.evolve(release, version=side.version), demands, act) for side in sides]
        alike = [place for place, other in enumerate(said_at) if other == said]
        harm = Outcome.SILENTLY_WRONG in outcomes
        if len(sides) == 2 and outcomes[0] is outcomes[1] and (said is None or alike):
            basis = f"{sides[0].version} and {sides[1].version} agree"
            return Finding(outcomes[0], Rank.BETWEEN, basis)
        if alike and len(alike) < 2:
            return _like(sides[alike[0]], outcomes[alike[0]], harm, len(sides), said is not None)
        if said is not None and not alike:
            return self._changed(release, demands, act, outcomes, sides)
        return _undecided(sides, outcomes)

    def _said(self, release: ClientAtVersion, demands: frozenset[str], act: Act) -> Outcome | None:
        """What statements alone say; None where they say nothing certain."""
        statement = worst(self._statements(release, demands, act))
        return None if statement is None or statement.outcome is Outcome.UNKNOWN else statement.outcome

    def _changed(
        self,
        release: ClientAtVersion,
        demands: frozenset[str],
        act: Act,
        outcomes: list[Outcome],
        sides: list[MeasuredRelease],
    ) -> Finding | None:
        """Statements say this release is like no measured neighbour."""
        finding = self._from_statements(release, demands, act)
        around = " and ".join(str(side.version) for side in sides)
        warning = f"measured releases nearby behave differently: {around}"
        return attrs.evolve(finding, warning=warning)

    # --- from parts -----------------------------------------------------------------------------

    def _from_parts(self, release: ClientAtVersion, demands: frozenset[str], act: Act) -> Finding | None:
        """Put together from measured tables that demand less or more; None where none tell."""
        fine: list[Finding] = []
        covered: set[str] = set()
        harm: Finding | None = None
        for position in self.measurements.subsets(demands):
            finding = self._from_runs(release, position, act)
            smaller = self.measurements.demand_sets[position]
            if finding is None:
                continue
            if finding.outcome is Outcome.WORKS:
                fine.append(finding)
                covered |= smaller
            elif finding.outcome is Outcome.REFUSES:
                return self._with_blame(release, smaller, act, finding)
            elif finding.outcome is Outcome.SILENTLY_WRONG and harm is None:
                harm = self._with_blame(release, smaller, act, finding)
        if harm is None:
            more = self._from_larger(release, demands, act)
            if more is not None:
                return more
        left = self._from_statements(release, demands, act)
        if left.outcome is Outcome.REFUSES and left.demand not in covered:
            return left
        if harm is not None or not fine:
            return harm
        open_questions = {demand for demand in demands - covered if act is Act.APPEND or not for_writers(demand)}
        return _combined(fine, left, frozenset(open_questions))

    def _from_larger(self, release: ClientAtVersion, demands: frozenset[str], act: Act) -> Finding | None:
        """A release that copes with a table that demands more copes with this one."""
        for position in self.measurements.supersets(demands):
            finding = self._from_runs(release, position, act)
            if finding is not None and finding.outcome is Outcome.WORKS and finding.rank >= Rank.BETWEEN:
                return attrs.evolve(finding, basis=f"{finding.basis}, on a table that demands more")
        return None

    # --- from statements ------------------------------------------------------------------------

    def _statements(self, release: ClientAtVersion, demands: frozenset[str], act: Act) -> tuple[Statement, ...]:
        own = judge(release, act, demands)
        handed = self._handed_over(release, demands, act)
        if handed is None:
            return own
        ours = tuple(statement for statement in own if statement.outcome is not Outcome.UNKNOWN)
        return (*ours, handed)

    def _handed_over(self, release: ClientAtVersion, demands: frozenset[str], act: Act) -> Statement | None:
        """What the library beside the client does, where the client leaves the act to it."""
        library = release.version.library
        for delegation in release.client.delegations:
            if library is not None and delegation.holds(release.path, act, release.version):
                target = self.catalogue.get(delegation.client)
                other = ClientAtVersion(target, library, target.path(delegation.target_path or None, library))
                verdict = self.verdict(other, TableNeeds(demands), delegation.target_act or act)
                why = f"{target.id} {library}: {verdict.reason}"
                rank = min(verdict.evidence.rank, Rank.SOURCE)
                if verdict.outcome is not Outcome.UNKNOWN:
                    return Statement(verdict.demand or "", verdict.outcome, rank, why)
        return None

    def _from_statements(self, release: ClientAtVersion, demands: frozenset[str], act: Act) -> Finding:
        decisive = worst(self._statements(release, demands, act))
        if decisive is None:
            return Finding(Outcome.UNKNOWN, Rank.INFERRED, "", None, f"nothing is known about {release.client.id} here")
        warning = ""
        if decisive.outcome is Outcome.WORKS and decisive.rank <= Rank.INFERRED:
            warning = "inferred, not stated"
        return Finding(decisive.outcome, decisive.rank, decisive.why, decisive.demand, decisive.why, warning)


def _like(side: MeasuredRelease, outcome: Outcome, harm: bool, sides: int, said: bool) -> Finding:
    """Statements put this release on the same side of a change as a measured one."""
    basis = f"as measured at {side.version}"
    warning = ""
    if harm and outcome is Outcome.WORKS:
        warning = "a neighbouring release was silently wrong here"
    elif sides == 1:
        warning = f"{side.version} is the nearest measured release"
    return Finding(outcome, Rank.SOURCE if said and sides == 2 else Rank.INFERRED, basis, warning=warning)


def _undecided(sides: list[MeasuredRelease], outcomes: list[Outcome]) -> Finding:
    """Nothing tells on which side of a change this release stands: take the worse, and say so."""
    place = max(range(len(sides)), key=lambda at: outcomes[at])
    around = ", ".join(f"{side.version} {outcome.value}" for side, outcome in zip(sides, outcomes, strict=True))
    return Finding(outcomes[place], Rank.INFERRED, around, warning=f"measured around it: {around}")


def _reason(finding: Finding) -> str:
    if finding.outcome is Outcome.WORKS:
        return "everything the table demands is supported"
    return f"{finding.demand or 'the table'}: {finding.outcome.value}"


def _combined(fine: list[Finding], left: Finding, uncovered: frozenset[str]) -> Finding:
    """All measured parts work; `left` is what statements say of the whole."""
    least = min(fine, key=lambda finding: finding.rank)
    if not uncovered:
        warning = least.warning or "its parts were measured, this combination was not"
        return Finding(Outcome.WORKS, least.rank, least.basis, warning=warning)
    if left.outcome is Outcome.SILENTLY_WRONG or (left.outcome is Outcome.UNKNOWN and left.demand in uncovered):
        return left
    rank = min(least.rank, left.rank if left.outcome is Outcome.WORKS else Rank.INFERRED)
    missing = ", ".join(sorted(uncovered))
    return Finding(Outcome.WORKS, rank, left.basis or least.basis, warning=f"not measured: {missing}")
