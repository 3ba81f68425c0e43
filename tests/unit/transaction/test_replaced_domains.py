"""A table is replaced while somebody begins domains: those of features that a replacement ends are ended, no others."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from deltaresolver.model.actions import DomainMetadata
from deltaresolver.transaction.conflicts.domains import check_domains

ENDED = "delta.clustering"
RULES: Any = SimpleNamespace(
    behaviours=SimpleNamespace(own_domains=frozenset({ENDED}), domains_ended_by_replace=frozenset({ENDED}))
)


def domain(name: str) -> DomainMetadata:
    return DomainMetadata(name, "{}", removed=False)


def after(own: Sequence[str], winners: Sequence[str]) -> dict[str, bool]:
    """The domains in the draft after the check, and whether each is removed."""
    draft: Any = SimpleNamespace(actions=tuple(map(domain, own)), operation=SimpleNamespace(replaces_table=True))
    draft.with_actions = lambda actions: actions
    winner: Any = SimpleNamespace(domains=tuple(map(domain, winners)))
    found: Any = check_domains(draft, winner, RULES)
    assert len({action.domain for action in found}) == len(found), "a domain is there twice"
    return {action.domain: action.removed for action in found}


@pytest.mark.parametrize(
    ("own", "winners", "expected"),
    [
        ((), (ENDED,), {ENDED: True}),
        ((), ("mine",), {}),
        ((), (ENDED, "mine"), {ENDED: True}),
        ((ENDED,), (ENDED,), {ENDED: False}),
        (("other",), ("mine",), {"other": False}),
    ],
)
def test_only_domains_of_features_are_ended(
    own: Sequence[str], winners: Sequence[str], expected: dict[str, bool]
) -> None:
    assert after(own, winners) == expected
