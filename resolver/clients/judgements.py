"""Judgements from statements, from measured releases around one, and from measured tables with fewer demands."""

from __future__ import annotations

import attrs

from deltaresolver.clients.claims import Statement
from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.measured.measurements import MeasuredRelease
from deltaresolver.clients.verdict import Judgement, Verdict
from deltaresolver.value import Printable


@attrs.frozen(slots=True, eq=False)
class Neighbour(Printable):
    """A measured release around the one asked about: its measured outcome, and the outcome by statements."""

    release: MeasuredRelease
    outcome: Outcome
    said: Outcome | None


def stated(decisive: Statement) -> Judgement:
    """A judgement that rests on one statement."""
    warning = ""
    if decisive.outcome is Outcome.WORKS and decisive.rank <= Rank.INFERRED:
        warning = "inferred, not stated"
    said = decisive.why
    return Judgement(decisive.outcome, decisive.rank, said, decisive.demand, said, warning, decisive.source)


def stopped_at_opening(opened: Verdict, act: Act, finding: Judgement) -> Verdict:
    """The act is refused because opening is; harm that was expected of the act itself becomes a warning."""
    warning = opened.warning
    if finding.outcome is Outcome.SILENTLY_WRONG:
        harm = f"if it does open the table, {act.value} may be silently wrong: {finding.why or finding.basis}"
        warning = f"{warning}; {harm}" if warning else harm
    return attrs.evolve(opened, act=act, warning=warning)


def unforeseen(around: list[Neighbour]) -> str:
    """A warning where statements were wrong about a measured release around this one, so may be wrong here too."""
    wrong = [str(one.release.version) for one in around if one.said is not one.outcome]
    return f"measured releases nearby contradict this: {' and '.join(wrong)}" if wrong else ""


def undecided(around: list[Neighbour]) -> Judgement:
    """Neighbours differ and nothing shows which one this release is like: the worse outcome, with a warning."""
    worse = max(around, key=lambda one: one.outcome)
    told = ", ".join(f"{one.release.version} {one.outcome.value}" for one in around)
    return Judgement(worse.outcome, Rank.INFERRED, told, warning=f"measured around it: {told}")


def reason_of(finding: Judgement) -> str:
    """A reason in a few words, for a finding that has none of its own."""
    if finding.outcome is Outcome.WORKS:
        return "everything the table demands is supported"
    return f"{finding.demand or 'the table'}: {finding.outcome.value}"


def combined(fine: list[Judgement], left: Judgement, uncovered: frozenset[str]) -> Judgement:
    """All measured parts work; `left` is the outcome of the whole by statements.

    Where statements say that the whole works, there is no warning: both kinds of evidence would have to be wrong.
    """
    least = min(fine, key=lambda finding: finding.rank)
    vouched = left.outcome is Outcome.WORKS and not left.warning
    if not uncovered:
        warning = least.warning or ("" if vouched else "its parts were measured, this combination was not")
        return Judgement(Outcome.WORKS, least.rank, least.basis, warning=warning)
    if left.outcome is Outcome.SILENTLY_WRONG or (left.outcome is Outcome.UNKNOWN and left.demand in uncovered):
        return left
    rank = min(least.rank, left.rank if left.outcome is Outcome.WORKS else Rank.INFERRED)
    warning = "" if vouched else f"not measured: {', '.join(sorted(uncovered))}"
    return Judgement(Outcome.WORKS, rank, left.basis or least.basis, warning=least.warning or warning)
