"""What a team does not want to happen by accident, asked before anything is written."""

from __future__ import annotations

from typing import Protocol as TypingProtocol

import attrs

from deltaresolver.errors import PolicyRefusedError
from deltaresolver.model.behaviour import Draft
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.prepared import prepare


@attrs.frozen(slots=True)
class Proposal:
    """A commit that a policy is asked about."""

    draft: Draft
    catalog: FeatureCatalog
    asked: frozenset[str] = frozenset()
    """Properties of the proposed metadata that ask for features or versions by name."""


class Policy(TypingProtocol):
    """Lets a commit pass or refuses it."""

    def check(self, proposal: Proposal) -> None:
        """Raise `PolicyRefusedError` with the explanation and the remedy, or return."""


@attrs.frozen(slots=True)
class NoUnaskedProtocolRise:
    """An existing table takes on no feature that nobody asked for by name."""

    allowed: frozenset[str] = frozenset()
    """Features that may come unasked all the same."""

    def check(self, proposal: Proposal) -> None:
        """Raise `PolicyRefusedError` if the commit makes the table support more unasked."""
        draft = proposal.draft
        if draft.before.is_new or proposal.asked or draft.operation.name == "UPGRADE PROTOCOL":
            return
        added = prepare(proposal.catalog).supported(draft.protocol) - draft.before.supported - self.allowed
        if not added or draft.operation.drops_feature is not None:
            return
        names = sorted(added)
        asking = ", ".join(f"delta.feature.{name} = supported" for name in names)
        raise PolicyRefusedError(
            f"{draft.operation.name} would make the table support {', '.join(names)} and its protocol "
            f"{_short(draft.before.protocol)} become {_short(draft.protocol)}, which nobody asked for.",
            fix=f"Leave out the change, or ask for it with {asking}.",
            details={
                "operation": draft.operation.name,
                "features": names,
                "before": draft.before.protocol.to_json(),
                "after": draft.protocol.to_json(),
            },
        )


def _short(protocol: Protocol) -> str:
    return f"({protocol})"
