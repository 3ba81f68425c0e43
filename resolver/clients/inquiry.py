"""The verdicts on one act of one release, for many tables.

Measurements come first. For a release that was not measured, measured releases around it count, and claims from
source code and documents only decide which of them it is like. Where a table's demands were never measured
together, the verdict is combined from measured tables with fewer or with more demands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.claims import Statement
from deltaresolver.clients.evidence import Act, Evidence, Outcome, Rank
from deltaresolver.clients.judgements import (
    Neighbour,
    combined,
    reason_of,
    stated,
    stopped_at_opening,
    undecided,
    unforeseen,
)
from deltaresolver.clients.measured.measurements import Bracket, MeasuredRelease, Measurements
from deltaresolver.clients.said import Said
from deltaresolver.clients.statements import worst
from deltaresolver.clients.table_needs import feature_of, for_writers
from deltaresolver.clients.verdict import Judgement, Verdict
from deltaresolver.clients.versions import ClientVersion

SaidOf = Callable[[ClientAtVersion, Act], Said]
"""Returns the claims about an act of a release."""


class Inquiry:
    """Verdicts on one act of one release; each distinct set of demands is judged once."""

    def __init__(
        self,
        release: ClientAtVersion,
        act: Act,
        measurements: Measurements,
        said_of: SaidOf,
        opening: Inquiry | None = None,
    ) -> None:
        """`opening` is the inquiry into opening the table, if this act opens it first."""
        self.release = release
        self._opening = opening
        self.act = act
        self._measured = measurements
        self._said_of = said_of
        self._said = said_of(release, act)
        self._lacks_library = release.version.library is None and release.client.depends_on_library
        was_measured = (release.client.id, release.path) in measurements.releases
        self._has_statements_only = not was_measured and not release.client.delegations
        self._asked = (self._said, *(() if opening is None else (opening._said,)))  # noqa: SLF001
        self._seen: set[str] = set()
        self._matters: set[str] = set()
        self._verdicts: dict[frozenset[str], Verdict] = {}
        self._runs: dict[int, Judgement | None] = {}
        self._said_elsewhere: dict[ClientVersion, Said] = {}

    def verdict(self, demands: frozenset[str]) -> Verdict:
        """The verdict on tables with these demands."""
        if self._has_statements_only:
            demands = self._what_matters(demands)
        given = self._verdicts.get(demands)
        if given is None:
            given = self._verdicts[demands] = self._decide(demands)
        return given

    def _what_matters(self, demands: frozenset[str]) -> frozenset[str]:
        """The demands that can change this verdict; for most clients they are few."""
        if not self._seen.issuperset(demands):
            new = demands - self._seen
            self._seen |= new
            self._matters |= {demand for demand in new if any(asked.looks_at(demand) for asked in self._asked)}
        return demands & self._matters

    def _decide(self, demands: frozenset[str]) -> Verdict:
        finding = self._find(demands)
        if self._opening is not None and finding.outcome is not Outcome.REFUSES:
            opened = self._opening.verdict(demands)
            # A measured outcome always wins over claims.
            if opened.outcome is Outcome.REFUSES and finding.rank is not Rank.MEASURED:
                return stopped_at_opening(opened, self.act, finding)
        return Verdict(
            client=self.release.client.id,
            version=str(self.release.version),
            path=self.release.path,
            act=self.act,
            outcome=finding.outcome,
            reason=finding.why or reason_of(finding),
            evidence=Evidence(finding.rank, finding.basis, finding.source),
            feature=feature_of(finding.demand) if finding.demand else None,
            demand=finding.demand or None,
            warning=finding.warning,
        )

    def _find(self, demands: frozenset[str]) -> Judgement:
        if self._lacks_library:
            version = self.release.version
            why = f"it depends on the library beside it; write the version like {version} (deltalake 1.6.3)"
            return Judgement(Outcome.UNKNOWN, Rank.INFERRED, "", None, why)
        position = self._measured.positions.get(demands)
        if position is not None:
            finding = self._from_runs(position)
            if finding is not None:
                return self._with_blame(demands, finding)
        return self._from_parts(demands) or self._decided_by(self._said.on(demands))

    def _with_blame(self, demands: frozenset[str], finding: Judgement) -> Judgement:
        """Add the demand at fault, where statements or measured tables with fewer demands show it."""
        if finding.outcome is Outcome.WORKS:
            return finding
        statement = worst(self._said.on(demands))
        if statement is not None and statement.outcome is finding.outcome:
            return attrs.evolve(finding, demand=statement.demand, why=statement.why)
        return attrs.evolve(finding, demand=self._first_at_fault(demands))

    def _first_at_fault(self, demands: frozenset[str]) -> str | None:
        """A demand of this table that measured tables which work do not have."""
        fine: set[str] = set()
        for position in self._measured.subsets(demands):
            smaller = self._from_runs(position)
            if smaller is not None and smaller.outcome is Outcome.WORKS:
                fine |= self._measured.demand_sets[position]
        left = sorted(demands - fine or demands, key=lambda demand: (feature_of(demand) is None, demand))
        return left[0] if left else None

    # --- from measured runs ---------------------------------------------------------------------

    def _from_runs(self, position: int) -> Judgement | None:
        """The judgement from measured releases of this path on tables of exactly these demands."""
        if position not in self._runs:
            self._runs[position] = self._think_of_runs(position)
        return self._runs[position]

    def _think_of_runs(self, position: int) -> Judgement | None:
        release = self.release
        bracket = self._measured.bracket(release.client.id, release.path, release.version, position, self.act)
        if bracket.at is not None:
            outcome = bracket.at.outcome(position, self.act)
            return None if outcome is None else Judgement(outcome, Rank.MEASURED, f"measured at {release.version}")
        return self._between(bracket, position) if bracket.around else None

    def _between(self, bracket: Bracket, position: int) -> Judgement:
        demands = self._measured.demand_sets[position]
        said = self._said.certain(demands)
        around = [
            Neighbour(side, side.outcome(position, self.act) or Outcome.UNKNOWN, self._said_at(side, demands))
            for side in bracket.around
        ]
        alike = [one for one in around if one.said is said]
        if bracket.is_closed and len({one.outcome for one in around}) == 1 and (said is None or alike):
            names = " and ".join(str(one.release.version) for one in around)
            return Judgement(around[0].outcome, Rank.BETWEEN, f"{names} agree")
        if len({one.outcome for one in alike}) == 1:
            return self._like(alike[-1], around, demands)
        if said is not None and not alike:
            return attrs.evolve(self._decided_by(self._said.on(demands)), warning=unforeseen(around))
        return undecided(around)

    def _like(self, alike: Neighbour, around: list[Neighbour], demands: frozenset[str]) -> Judgement:
        """The outcome of measured releases for which the statements are the same as for this one."""
        basis = f"as measured at {alike.release.version}"
        if alike.said is alike.outcome:
            rank = min(Rank.SOURCE, self._decided_by(self._said.on(demands)).rank)
            return Judgement(alike.outcome, rank, basis, warning=unforeseen(around))
        warning = f"{alike.release.version} is the nearest measured release"
        if Outcome.SILENTLY_WRONG in [one.outcome for one in around] and alike.outcome is Outcome.WORKS:
            warning = "a neighbouring release was silently wrong here"
        return Judgement(alike.outcome, Rank.INFERRED, basis, warning=warning)

    def _said_at(self, side: MeasuredRelease, demands: frozenset[str]) -> Outcome | None:
        """The outcome for another release by statements alone."""
        said = self._said_elsewhere.get(side.version)
        if said is None:
            other = attrs.evolve(self.release, version=side.version)
            said = self._said_elsewhere[side.version] = self._said_of(other, self.act)
        return said.certain(demands)

    # --- from parts -----------------------------------------------------------------------------

    def _from_parts(self, demands: frozenset[str]) -> Judgement | None:
        """The judgement from measured tables with fewer or more demands; None where they do not decide."""
        fine: list[Judgement] = []
        covered: set[str] = set()
        harm: Judgement | None = None
        for measured, finding in self._smaller(demands):
            if finding.outcome is Outcome.REFUSES:
                return self._with_blame(measured, finding)
            if finding.outcome is Outcome.WORKS:
                fine.append(finding)
                covered |= measured
            elif finding.outcome is Outcome.SILENTLY_WRONG and harm is None:
                harm = self._with_blame(measured, finding)
        if harm is None:
            more = self._from_larger(demands)
            if more is not None:
                return more
        said = self._said.on(demands)
        refused = worst(tuple(one for one in said if one.outcome is Outcome.REFUSES and one.demand not in covered))
        if refused is not None:
            return stated(refused)
        if harm is not None or not fine:
            return harm
        appends = self.act is Act.APPEND
        open_questions = frozenset(demand for demand in demands - covered if appends or not for_writers(demand))
        return combined(fine, self._decided_by(said), open_questions)

    def _smaller(self, demands: frozenset[str]) -> Iterator[tuple[frozenset[str], Judgement]]:
        """The measured tables without further demands, each with its judgement."""
        for position in self._measured.subsets(demands):
            finding = self._from_runs(position)
            if finding is None:
                continue
            measured = self._measured.demand_sets[position]
            if finding.outcome is not Outcome.REFUSES or not self._is_exception(demands, measured, finding.outcome):
                yield measured, finding

    def _from_larger(self, demands: frozenset[str]) -> Judgement | None:
        """A judgement that this table works because a measured table with more demands works."""
        for position in self._measured.supersets(demands):
            finding = self._from_runs(position)
            if finding is None or finding.outcome is not Outcome.WORKS or finding.rank < Rank.BETWEEN:
                continue
            if not self._is_exception(demands, self._measured.demand_sets[position], finding.outcome):
                return attrs.evolve(finding, basis=f"{finding.basis}, on a table that demands more")
        return None

    def _is_exception(self, demands: frozenset[str], measured: frozenset[str], outcome: Outcome) -> bool:
        """Whether statements agree with a measured table and have a rule by which this table differs from it."""
        here = self._said.certain(demands)
        return here not in (None, outcome) and self._said.certain(measured) is outcome

    # --- from statements ------------------------------------------------------------------------

    def _decided_by(self, said: tuple[Statement, ...]) -> Judgement:
        decisive = worst(said)
        if decisive is None:
            why = f"nothing is known about {self.release.client.id} here"
            return Judgement(Outcome.UNKNOWN, Rank.INFERRED, "", None, why)
        return stated(decisive)
