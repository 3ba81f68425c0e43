"""Judgements made of statements, of measured releases nearby, and of parts that were measured."""

from __future__ import annotations

import attrs

from deltaresolver.clients.claims import Statement
from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.measured.measurements import MeasuredRelease
from deltaresolver.clients.verdict import Judgement, Verdict
from deltaresolver.value import Printable


@attrs.frozen(slots=True, eq=False)
class Neighbour(Printable):
    """A measured release near the one asked about: what it did, and what statements say of it."""

    release: MeasuredRelease
    outcome: Outcome
    said: Outcome | None


def stated(decisive: Statement) -> Judgement:
    """A verdict that rests on one statement."""
    warning = ""
    if decisive.outcome is Outcome.WORKS and decisive.rank <= Rank.INFERRED:
        warning = "inferred, not stated"
    said = decisive.why
    return Judgement(decisive.outcome, decisive.rank, said, decisive.demand, said, warning, decisive.source)


def stopped_at_opening(opened: Verdict, act: Act, finding: Judgement) -> Verdict:
    """The act is refused as opening is; harm that was expected of the act alone stays as a warning."""
    warning = opened.warning
    if finding.outcome is Outcome.SILENTLY_WRONG:
        harm = f"if it does open the table, {act.value} may be silently wrong: {finding.why or finding.basis}"
        warning = f"{warning}; {harm}" if warning else harm
    return attrs.evolve(opened, act=act, warning=warning)


def unforeseen(around: list[Neighbour]) -> str:
    """A warning where statements were wrong about a measured release nearby, which they may be about this one."""
    wrong = [str(one.release.version) for one in around if one.said is not one.outcome]
    return f"measured releases nearby contradict this: {' and '.join(wrong)}" if wrong else ""


def undecided(around: list[Neighbour]) -> Judgement:
    """Nothing tells on which side of a change this release stands: take the worse, and say so."""
    worse = max(around, key=lambda one: one.outcome)
    told = ", ".join(f"{one.release.version} {one.outcome.value}" for one in around)
    return Judgement(worse.outcome, Rank.INFERRED, told, warning=f"measured around it: {told}")


def reason_of(finding: Judgement) -> str:
    """Why, in a few words, where nobody said it."""
    if finding.outcome is Outcome.WORKS:
        return "everything the table demands is supported"
    return f"{finding.demand or 'the table'}: {finding.outcome.value}"


def combined(fine: list[Judgement], left: Judgement, uncovered: frozenset[str]) -> Judgement:
    """All measured parts work; `left` is what statements say of the whole.

    Where they vouch for the whole no warning is due: statements and measurements would both have to be wrong.
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
