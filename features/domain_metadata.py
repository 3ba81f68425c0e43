"""domainMetadata: named entries of configuration in the log, each owned by a feature or by users.

Other features require it; nothing in the metadata enables it by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from deltaresolver.errors import DomainMetadataError
from deltaresolver.model.actions import DomainMetadata
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, RemainingTable
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl

CLEANUP = "DOMAIN METADATA CLEANUP"


class DomainMetadataBehaviour(FeatureBehaviour):
    """Refuses domain metadata in tables without the feature, and two actions for one domain."""

    def check_draft(self, draft: Draft) -> None:
        """Raise `DomainMetadataError` for a domain written twice."""
        _domains_of(draft)

    def check_draft_without(self, draft: Draft) -> None:
        """Raise `DomainMetadataError` for any domain."""
        domains = _domains_of(draft)
        if domains:
            raise DomainMetadataError(
                f"The commit writes metadata domains [{','.join(domains)}], which the table does not support.",
                fix="First set delta.feature.domainMetadata to supported.",
                details={"domains": domains},
                delta_condition="DELTA_DOMAIN_METADATA_NOT_SUPPORTED",
            )

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Remove every domain: no feature needs one any more, since this one can only be dropped after them."""
        domains = sorted(table.domains().items())
        if not domains:
            return None
        removed = tuple(attrs.evolve(domain, removed=True) for _, domain in domains)
        operation = Operation(CLEANUP, {"domainMetadataRemovedCount": len(removed)})
        return PreparatoryCommit(operation, actions=removed)

    def find_trace(self, table: RemainingTable) -> str | None:
        """The names of the domains."""
        names = sorted(table.domains())
        return f"there is metadata in the domains {', '.join(names)}" if names else None


def _domains_of(draft: Draft) -> list[str]:
    """The domains that a commit writes. Raises `DomainMetadataError` for one that it writes twice."""
    domains = [action.domain for action in draft.actions if isinstance(action, DomainMetadata)]
    twice = next((domain for position, domain in enumerate(domains) if domain in domains[:position]), None)
    if twice is not None:
        raise DomainMetadataError(
            f"The commit writes metadata domain {twice} twice.",
            fix="Keep one domainMetadata action for each domain.",
            details={"domain": twice},
            delta_condition="DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR",
        )
    return domains


@hookimpl
def table_feature() -> TableFeature:
    """Declare domainMetadata."""
    return TableFeature(
        name="domainMetadata",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="Features and users can keep named configuration in the log.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#domain-metadata",
        aborts_concurrent_writers=False,
        removal=Removal(),
        behaviour=DomainMetadataBehaviour(),
        support=Support(),
    )
