"""New metadata on its way in: session defaults, features' additions, and the protocol it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from deltaresolver.model.behaviour import MetadataChange, TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.instructions import SESSION_PREFIX, is_instruction, without_instructions
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.resolution.resolve import check_protocol_requirements, resolve_new_table, resolve_upgrade
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.schema_rules import ensure_schema_allowed


@attrs.frozen(slots=True)
class StagedMetadata:
    """Metadata ready to be committed, with the protocol it takes."""

    metadata: Metadata
    protocol: Protocol


@attrs.frozen(slots=True)
class MetadataUpdate:
    """How one transaction takes in new metadata."""

    before: TableState
    catalog: FeatureCatalog
    session: Mapping[str, str]
    new_id: Callable[[], str]
    is_new_table: bool = False
    """The table is created, or replaced as if it were."""
    keeps_column_ids: bool = False

    def stage(self, proposed: Metadata) -> StagedMetadata:
        """The metadata with everything added that has to be, and the protocol it resolves to.

        Raises what the resolver and the features raise, and `SchemaRuleError`.
        """
        if self.is_new_table:
            proposed = with_global_defaults(proposed, self.session)
        resolution = self._resolve(proposed)
        change = self._change(proposed, resolution.protocol)
        for _, behaviour in behaviours_of(self.catalog).all_with("amend_metadata"):
            change = attrs.evolve(change, metadata=behaviour.amend_metadata(change))
        if change.metadata != proposed:
            resolution = self._resolve(change.metadata)
        metadata = change.metadata.with_configuration(without_instructions(change.metadata.configuration))
        self.verify(metadata, resolution.protocol)
        return StagedMetadata(metadata, resolution.protocol)

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
        return check_protocol_requirements(metadata, protocol, self.catalog)

    def _resolve(self, metadata: Metadata) -> Resolution:
        if self.is_new_table:
            return resolve_new_table(metadata, self.catalog, session=self.session)
        return resolve_upgrade(metadata, self.before.protocol, self.catalog)

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


def with_global_defaults(metadata: Metadata, session: Mapping[str, str]) -> Metadata:
    """The metadata with the session's default properties where it says nothing itself.

    Protocol defaults are left to the resolver.
    """
    defaults = {
        f"delta.{key.removeprefix(SESSION_PREFIX)}": value
        for key, value in session.items()
        if key.startswith(SESSION_PREFIX)
    }
    properties = {key: value for key, value in defaults.items() if not is_instruction(key)}
    return metadata.with_configuration({**properties, **metadata.configuration})
