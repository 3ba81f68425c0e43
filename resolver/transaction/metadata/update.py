"""New metadata on its way in: session defaults, features' additions, and the protocol it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs

from deltaresolver.errors import AmendmentUnsettledError
from deltaresolver.model.behaviour import MetadataChange, TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.instructions import (
    IGNORE_PROTOCOL_DEFAULTS,
    is_instruction,
    without_instructions,
)
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.resolution.resolve import (
    check_protocol_requirements,
    kept_relations,
    resolve_new_table,
    resolve_upgrade,
)
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.metadata.schema_rules import ensure_schema_allowed
from deltaresolver.value import Value

MAX_ROUNDS = 20
"""Features whose additions still change after so many rounds do not come to an end."""


@attrs.frozen(slots=True)
class StagedMetadata(Value):
    """Metadata ready to be committed, with the protocol it takes."""

    metadata: Metadata
    protocol: Protocol


@attrs.frozen(slots=True)
class MetadataUpdate(Value):
    """How one transaction takes in new metadata."""

    before: TableState
    catalog: FeatureCatalog
    session: Mapping[str, str]
    new_id: Callable[[], str]
    is_new_table: bool = False
    """The table is created, or replaced as if it were."""
    keeps_column_ids: bool = False
    replace_may_downgrade: bool = False
    """A replaced table gets the protocol of a new one, even where that supports less."""
    takes_defaults: bool = True
    """A new table gets the session's defaults."""

    @property
    def may_assign_any_protocol(self) -> bool:
        """Whether the protocol read does not bind the new one."""
        return self.before.is_new or (self.is_new_table and self.replace_may_downgrade)

    def stage(self, proposed: Metadata) -> StagedMetadata:
        """The metadata with everything added that has to be, and the protocol it resolves to.

        Raises what the resolver and the features raise, and `SchemaRuleError`.
        """
        if self.is_new_table and self.takes_defaults:
            proposed = self._with_defaults(proposed)
        metadata, protocol = self._amended(proposed)
        metadata = metadata.with_configuration(without_instructions(metadata.configuration)).sealed()
        self.verify(metadata, protocol)
        return StagedMetadata(metadata, protocol)

    def _amended(self, proposed: Metadata) -> tuple[Metadata, Protocol]:
        """The metadata with what features add, and its protocol; one feature's addition may call for another's.

        Raises `AmendmentUnsettledError`.
        """
        metadata = proposed.sealed()
        changing: list[str] = []
        for _ in range(MAX_ROUNDS):
            protocol = self._resolve(metadata).protocol
            change = self._change(metadata, protocol)
            changing = []
            for name, behaviour in behaviours_of(self.catalog).all_with("amend_metadata"):
                amended = behaviour.amend_metadata(change).sealed()
                if amended != change.metadata:
                    changing.append(name)
                change = attrs.evolve(change, metadata=amended)
            if change.metadata == metadata:
                return metadata, protocol
            metadata = change.metadata
        raise _unsettled(changing)

    def _with_defaults(self, proposed: Metadata) -> Metadata:
        """A new table's metadata with the session's defaults; a replaced one also keeps some properties."""
        if self.before.is_new:
            return with_global_defaults(proposed, self._defaults())
        kept = behaviours_of(self.catalog).properties_kept_by_replace
        before = self.before.metadata.configuration
        properties = {key: before[key] for key in sorted(kept) if key in before}
        merged = with_global_defaults(proposed, self._defaults(), instructions=not self.may_assign_any_protocol)
        return merged.with_configuration({**properties, **merged.configuration})

    def _defaults(self) -> Mapping[str, str]:
        # Only new tables take defaults; commands about tables that are there load nothing of it.
        from deltaresolver.transaction.metadata.properties import session_defaults

        return session_defaults(self.session, self.catalog)

    def verify(self, metadata: Metadata, protocol: Protocol) -> None:
        """The rules for metadata about to be committed, those of its features included."""
        ensure_schema_allowed(metadata)
        change = self._change(metadata, protocol)
        for behaviour in behaviours_of(self.catalog).supported_with("check_metadata", change.supported):
            behaviour.check_metadata(change)

    def upgrade(self, metadata: Metadata, protocol: Protocol) -> Protocol | None:
        """The protocol that metadata given as an action takes, or None if `protocol` will do.

        Raises `ProtocolPropertyInMetadataError`, `ManualEnablementError`.
        """
        before = None if self.before.is_new else self.before.metadata
        kept = kept_relations(before, self.before.protocol, self.catalog)
        return check_protocol_requirements(metadata, protocol, self.catalog, kept=kept)

    def _resolve(self, metadata: Metadata) -> Resolution:
        if self.may_assign_any_protocol:
            return resolve_new_table(metadata, self.catalog, session=self.session)
        return resolve_upgrade(metadata, self.before.protocol, self.catalog, before=self.before.metadata)

    def _change(self, metadata: Metadata, protocol: Protocol) -> MetadataChange:
        return MetadataChange(
            self.before,
            metadata,
            protocol,
            prepare(self.catalog).supported(protocol),
            self.new_id,
            self.is_new_table,
            self.keeps_column_ids,
            self.session,
        )


def _unsettled(features: Sequence[str]) -> AmendmentUnsettledError:
    names = ", ".join(features)
    return AmendmentUnsettledError(
        f"After {MAX_ROUNDS} rounds the table's metadata is still changed by {names}.",
        fix=f"Report this to whoever provides {names}: asked again, a feature must change nothing more.",
        details={"features": list(features), "rounds": MAX_ROUNDS},
    )


def with_global_defaults(metadata: Metadata, defaults: Mapping[str, str], *, instructions: bool = False) -> Metadata:
    """The metadata with the session's default properties where it says nothing itself.

    Defaults that instruct the resolver are taken over only if `instructions` says so: a new table's resolution
    looks at the session itself.
    """
    ignores = {**defaults, **metadata.configuration}.get(IGNORE_PROTOCOL_DEFAULTS, "false").lower() == "true"
    wanted = instructions and not ignores
    properties = {key: value for key, value in defaults.items() if wanted or not is_instruction(key)}
    return metadata.with_configuration({**properties, **metadata.configuration})
