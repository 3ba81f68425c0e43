"""What a team does not want to happen by accident, asked before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol as TypingProtocol

import attrs

from deltaresolver.errors import PolicyRefusedError, PropertyInvalidError
from deltaresolver.model.behaviour import Draft
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.instructions import (
    FEATURE_PREFIX,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
)
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.value import Value

PROTOCOL_RISE = "deltaresolver.guard.protocolRise"
"""The table property that switches `NoUnaskedProtocolRise` on: `refuse`, or `allow`, the default."""

_GUARDS: Mapping[str, bool] = {"refuse": True, "allow": False}


@attrs.frozen(slots=True)
class Proposal(Value):
    """A commit that a policy is asked about."""

    draft: Draft
    catalog: FeatureCatalog
    asked: frozenset[str] = frozenset()
    """Properties of the proposed metadata that ask for features or versions by name."""
    location: str = ""
    """Where the table lies."""


class CommitPolicy(TypingProtocol):
    """Lets a commit pass or refuses it."""

    def check(self, proposal: Proposal) -> None:
        """Raise `PolicyRefusedError` with the explanation and the remedy, or return."""


def read_guard(value: str) -> bool:
    """Whether a value of `deltaresolver.guard.protocolRise` refuses. Raises `PropertyInvalidError`."""
    found = _GUARDS.get(value.strip().lower())
    if found is None:
        raise PropertyInvalidError(
            f"{PROTOCOL_RISE} is refuse or allow, found {value!r}.",
            fix=f"Set {PROTOCOL_RISE} to refuse or to allow.",
            details={"key": PROTOCOL_RISE, "found": value},
        )
    return found


def policies_of(metadata: Metadata) -> tuple[CommitPolicy, ...]:
    """The policies that a table's own properties switch on.

    A value that cannot be read refuses: whoever wrote it wanted a guard.
    """
    value = metadata.configuration.get(PROTOCOL_RISE)
    if value is None or _GUARDS.get(value.strip().lower()) is False:
        return ()
    return (NoUnaskedProtocolRise(),)


@attrs.frozen(slots=True)
class NoUnaskedProtocolRise(Value):
    """An existing table takes on no feature that nobody asked for by name, and no higher versions."""

    allowed: frozenset[str] = frozenset()
    """Features that may come unasked all the same."""

    def check(self, proposal: Proposal) -> None:
        """Raise `PolicyRefusedError` if the commit makes the table support more unasked."""
        draft = proposal.draft
        if draft.before.is_new or draft.operation.drops_feature is not None:
            return
        if draft.operation.name == "UPGRADE PROTOCOL" or {MIN_READER_VERSION, MIN_WRITER_VERSION} & proposal.asked:
            return
        prepared = prepare(proposal.catalog)
        named = {key[len(FEATURE_PREFIX) :].lower() for key in proposal.asked if key.startswith(FEATURE_PREFIX)}
        asked = prepared.closure(prepared.spellings[name] for name in named if name in prepared.spellings)
        added = draft.supported - draft.before.supported - asked - self.allowed
        if added:
            raise _refused(proposal, sorted(added))


def _refused(proposal: Proposal, names: list[str]) -> PolicyRefusedError:
    draft = proposal.draft
    resolution = Resolution(
        draft.protocol, draft.supported, draft.metadata, proposal.catalog, current=draft.before.protocol
    )
    asking = ", ".join(f"{FEATURE_PREFIX}{name} = supported" for name in names)
    return PolicyRefusedError(
        f"{draft.operation.name} would make the table support {', '.join(names)} and its protocol "
        f"{_short(draft.before.protocol)} become {_short(draft.protocol)}, which nobody asked for"
        f"{_evidence(resolution, names)}.",
        fix=f"Leave out the change, or ask for it with {asking}.",
        details={
            "operation": draft.operation.name,
            "features": names,
            "before": draft.before.protocol.to_json(),
            "after": draft.protocol.to_json(),
            "explanation": resolution.explain("text"),
        },
    )


def _evidence(resolution: Resolution, names: list[str]) -> str:
    """The properties or columns behind the features, where there are any."""
    found = [
        str(evidence)
        for name in names
        if (trigger := resolution.catalog.get(name).trigger) is not None
        for evidence in trigger.evidence(resolution.view)
    ]
    return f" ({'; '.join(found)})" if found else ""


def _short(protocol: Protocol) -> str:
    return f"({protocol})"
