"""A table is replaced while somebody begins domains: those of features that a replacement ends are ended, no others."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from deltaresolver.features.domain_metadata import DomainMetadataBehaviour
from deltaresolver.model.actions import DomainMetadata
from deltaresolver.transaction.conflicts.domains import check_domains

ENDED = "delta.clustering"
RULES: Any = SimpleNamespace(
    behaviours=SimpleNamespace(
        own_domains=frozenset({ENDED}),
        domains_ended_by_replace=frozenset({ENDED}),
        unsupported_with=lambda _, supported: () if supported else [DomainMetadataBehaviour()],
    )
)


def domain(name: str) -> DomainMetadata:
    return DomainMetadata(name, "{}", removed=False)


def replacing(own: Sequence[str], *supported: str) -> Any:
    """A draft that replaces a table, and has these domains of its own."""
    draft = SimpleNamespace(
        actions=tuple(map(domain, own)), operation=SimpleNamespace(replaces_table=True), supported=set(supported)
    )
    draft.with_actions = lambda actions: SimpleNamespace(**vars(draft) | {"actions": tuple(actions)})
    return draft


def after(own: Sequence[str], winners: Sequence[str]) -> dict[str, bool]:
    """The domains in the draft after the check, and whether each is removed."""
    winner: Any = SimpleNamespace(domains=tuple(map(domain, winners)))
    found: Any = check_domains(replacing(own, "domainMetadata"), winner, RULES).actions  # type: ignore[union-attr]
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


@pytest.mark.parametrize("winners", [(ENDED,), (ENDED, ENDED)])
def test_nothing_is_ended_where_a_table_may_have_no_domains(winners: Sequence[str]) -> None:
    draft, winner = replacing(()), SimpleNamespace(domains=tuple(map(domain, winners)))
    assert check_domains(draft, winner, RULES) is draft  # type: ignore[arg-type]
