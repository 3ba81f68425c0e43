"""Winner and draft write the same metadata domain."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from deltaresolver.errors import DomainMetadataError
from deltaresolver.model.actions import DomainMetadata
from deltaresolver.model.behaviour import Draft, Winner
from deltaresolver.transaction.conflicts.conflict import Conflict, ConflictKind, conflict_with
from deltaresolver.transaction.conflicts.rules import ConflictRules


def check_domains(draft: Draft, winner: Winner, rules: ConflictRules) -> Draft | Conflict:
    """The draft unless both write one domain that no feature reconciles.

    A replaced table also ends domains that the winner has just begun. Where a table may have no domains, those that
    some winner wrote all the same mean nothing. Raises `DomainMetadataError` for a winner that writes one domain twice.
    """
    if not winner.domains and not draft.operation.replaces_table:
        return draft
    if winner.domains and not _may_have(winner.domains[0], draft, rules):
        return draft
    written = by_domain(winner.domains)
    own = [action for action in draft.actions if isinstance(action, DomainMetadata)]
    for action in own:
        if action.domain in written and action.domain not in rules.behaviours.own_domains:
            read = f"metadata domain {action.domain}"
            return conflict_with(winner, ConflictKind.DOMAIN, read, f"domain {action.domain}")
    return _replaced(draft, own, written, rules) if draft.operation.replaces_table else draft


def _may_have(domain: DomainMetadata, draft: Draft, rules: ConflictRules) -> bool:
    """Whether the draft's table takes domains at all, as the features say that it lacks."""
    probe = draft.with_actions((domain,))
    try:
        for behaviour in rules.behaviours.unsupported_with("check_draft_without", draft.supported):
            behaviour.check_draft_without(probe)
    except DomainMetadataError:
        return False
    return True


def _replaced(
    draft: Draft, own: list[DomainMetadata], written: dict[str, DomainMetadata], rules: ConflictRules
) -> Draft:
    named = {action.domain for action in own}
    ended = [
        attrs.evolve(domain, removed=True)
        for name, domain in written.items()
        if name in rules.behaviours.domains_ended_by_replace and name not in named
    ]
    others = [action for action in draft.actions if not isinstance(action, DomainMetadata)]
    return draft.with_actions((*others, *ended, *own))


def by_domain(domains: Sequence[DomainMetadata]) -> dict[str, DomainMetadata]:
    """The actions by their domain. Raises `DomainMetadataError` if one is there twice."""
    found: dict[str, DomainMetadata] = {}
    for domain in domains:
        if domain.domain in found:
            raise DomainMetadataError(
                f"One commit writes metadata domain {domain.domain} twice.",
                fix="Keep one domainMetadata action for each domain.",
                details={"domain": domain.domain},
                delta_condition="DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR",
            )
        found[domain.domain] = domain
    return found
