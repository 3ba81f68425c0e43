"""What the page asks with each change, and the answer as data, all of it from the resolver and the planner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.planning.impact import Change, impact
from deltaresolver.planning.plan import plan
from deltaresolver.planning.search import Limits
from deltaresolver.planning.state import PlanState
from deltaresolver.resolution.explain.phrases import pair
from deltaresolver.resolution.reasons import AlreadySupportedReason, Reason
from deltaresolver.ui.commands import commands_for
from deltaresolver.ui.imagined import Imagined, imagine

BACK_LIMITS = Limits(states=2_000, seconds=2.0)
"""A page is not waited for as a command is: beyond these, the way back is left to `deltaresolver plan`."""


@attrs.frozen(slots=True)
class OpenedTable:
    """A table on the page: its state, the path or a name to call it by, and whether it is one on disk."""

    state: PlanState
    title: str
    path: str | None = None
    notes: tuple[str, ...] = ()


def answer(
    opened: OpenedTable, statements: Sequence[str], clients: Sequence[str], knowledge: ClientKnowledge
) -> dict[str, Any]:
    """The protocol, its reasons and proof, and who loses or gains. Raises `DeltaResolverError`."""
    imagined = imagine(opened.state, statements)
    before, after = opened.state, imagined.state
    changes = impact(before.needs, after.needs, clients or None, knowledge)
    return {
        "before": pair(before.protocol),
        "after": pair(after.protocol),
        "changed": before.protocol != after.protocol,
        "protocol": after.protocol.to_json(),
        "features": list(_features(before, imagined)),
        "proof": _proof(imagined),
        "silently_wrong": _told(changes.silently_wrong),
        "losses": _told(one for one in changes.losses if one not in changes.silently_wrong),
        "gains": _told(changes.gains),
        "asked": len(changes.clients),
        "commands": commands_for(opened.path, statements),
        "notes": [*opened.notes, *imagined.notes],
    }


def way_back(opened: OpenedTable, statements: Sequence[str], knowledge: ClientKnowledge) -> dict[str, Any]:
    """The cheapest steps from the changed table to the protocol that the table has now. Raises `DeltaResolverError`."""
    after = imagine(opened.state, statements).state
    if after.protocol == opened.state.protocol:
        return {"possible": True, "steps": [], "reasons": []}
    found = plan(after, opened.state.protocol, knowledge=knowledge, limits=BACK_LIMITS)
    steps = [
        {"title": one.title, "costs": list(one.costs), "sql": list(one.sql), "cli": one.cli} for one in found.steps
    ]
    return {"possible": found.is_possible, "steps": steps, "reasons": list(found.reasons)}


def _features(before: PlanState, imagined: Imagined) -> Iterator[dict[str, Any]]:
    """Every feature of either table with what keeps it."""
    had, has = before.supported, imagined.state.supported
    explained = {one.feature: one for one in imagined.resolution.explanations}
    for name in sorted(had | has):
        one = explained.get(name)
        yield {
            "name": name,
            "state": "gone" if name not in has else "new" if name not in had else "kept",
            "known": name in before.catalog,
            "reasons": [] if one is None else _reasons(one.reasons, is_new=name not in had),
            "remedies": [] if one is None else [remedy.text for remedy in one.remedies],
        }


def _reasons(reasons: Iterable[Reason], *, is_new: bool) -> list[str]:
    """In words. That a new feature is listed afterwards does not explain it: somebody asked, or something needs it."""
    told = [str(one) for one in reasons if not (is_new and isinstance(one, AlreadySupportedReason))]
    return told or ["asked for by name"]


def _proof(imagined: Imagined) -> dict[str, Any]:
    certificate = imagined.resolution.certificate
    return {"is_lowest": certificate.is_lowest, "lower": [str(one) for one in certificate.lower]}


def _told(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """Each client once for all acts that end alike, and for the same reason."""
    alike: dict[tuple[object, ...], list[Change]] = {}
    for one in changes:
        alike.setdefault((one.client, one.after.outcome, one.after.reason, one.would_do), []).append(one)
    return [
        {
            "client": some[0].client,
            "acts": [one.act.value for one in some],
            "outcome": some[0].after.outcome.value,
            "why": some[0].after.reason,
            "feature": some[0].feature,
            "would_do": list(some[0].would_do),
        }
        for some in alike.values()
    ]
