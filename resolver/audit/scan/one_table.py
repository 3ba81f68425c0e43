"""Audit one table: everything of `TableAudit`, in any process."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import msgspec

from deltaresolver.audit.document.blockers import AskedTable, Blockers
from deltaresolver.audit.document.client_profiles import ClientProfiles
from deltaresolver.audit.document.next_step import next_step
from deltaresolver.audit.scan.feature_uses import feature_facts, lowest_protocol
from deltaresolver.audit.scan.health import health_of
from deltaresolver.audit.scan.log_reading import LogReading, read_log
from deltaresolver.audit.scan.protocol_history import feature_timeline, protocol_events, protocol_facts
from deltaresolver.audit.scan.rule_set import RuleSet
from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.table_facts import CheckpointKind, TableFacts
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.segment import CheckpointKind as LogCheckpointKind
from deltaresolver.log.storage.locations import open_store
from deltaresolver.model.audit_rule import AuditedTable
from deltaresolver.model.audit_table import TableAudit, TableError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import walk_fields
from deltaresolver.model.view import TableView

_CHECKPOINTS = {
    LogCheckpointKind.CLASSIC: CheckpointKind.CLASSIC,
    LogCheckpointKind.MULTI_PART: CheckpointKind.CLASSIC,
    LogCheckpointKind.V2_JSON: CheckpointKind.V2_JSON,
    LogCheckpointKind.V2_PARQUET: CheckpointKind.V2_PARQUET,
}


@attrs.define(eq=False)
class Auditor:
    """Everything that is the same for all tables, and the answers it remembers."""

    catalog: FeatureCatalog
    rules: RuleSet
    profiles: ClientProfiles
    now_ms: int
    storage_options: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    history_limit: int = 1000
    deep: bool = False
    blockers: Blockers = attrs.field(init=False)
    _asked: tuple[ClientAtVersion, ...] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._asked = tuple(map(self.profiles.knowledge.catalogue.parse, self.profiles.asked))
        self.blockers = Blockers(self.profiles.knowledge, self.catalog)

    def audit(self, location: str) -> TableAudit:
        """The audit of the table at `location`; whatever is wrong with it is in the answer, never raised."""
        try:
            reading = read_log(open_store(location, self.storage_options), self.history_limit, deep=self.deep)
        except Exception as error:  # noqa: BLE001 - one bad location must not end the audit of all others
            reading = LogReading(location, error=error)
        reading.location = location
        audit = TableAudit(location, error=None if reading.error is None else _as_data(reading.error))
        if reading.error is None and reading.protocol is not None and reading.metadata is not None:
            try:
                audit = self._readable(reading, reading.protocol, reading.metadata)
            except Exception as error:  # noqa: BLE001 - a schema or property that nobody can read
                audit = TableAudit(
                    location, error=_as_data(error), protocol=protocol_facts(reading.protocol), health=audit.health
                )
        audit = msgspec.structs.replace(audit, health=health_of(reading))
        table = AuditedTable(audit, reading.protocol, reading.metadata, self.catalog, self.now_ms)
        audit = msgspec.structs.replace(audit, findings=self.rules.findings(table))
        return msgspec.structs.replace(audit, next_step=next_step(audit))

    def _readable(self, reading: LogReading, protocol: Protocol, metadata: Metadata) -> TableAudit:
        view = TableView(metadata)
        features = feature_facts(protocol, view, self.catalog, reading.location)
        lowest = lowest_protocol(features, self.catalog)
        events = protocol_events(reading, self.catalog)
        facts = _table_facts(reading)
        needs = TableNeeds.of(protocol, metadata, facts, self.catalog, view)
        profile = self.profiles.profile(needs)
        blocked = tuple(self.blockers.blocked(AskedTable(protocol, metadata, facts, needs), self._asked))
        return TableAudit(
            location=reading.location,
            name=metadata.name,
            table_id=metadata.id or None,
            table_version=None if reading.segment is None else reading.segment.table_version,
            protocol=protocol_facts(protocol),
            lowest_protocol=None if lowest is None else protocol_facts(lowest),
            features=features,
            history=events,
            history_from=reading.history_from,
            timeline=feature_timeline(events, protocol, reading, self.catalog),
            profile=profile.key,
            locked_out_of_read=profile.locked_out_of_read,
            locked_out_of_append=profile.locked_out_of_append,
            blocked=blocked,
            properties=dict(metadata.configuration),
            partition_columns=metadata.partition_columns,
            column_count=sum(1 for _ in walk_fields(metadata.schema)),
            created_ms=metadata.created_time,
        )


def _table_facts(reading: LogReading) -> TableFacts:
    """What the listing and the commits told; a hit in an old commit may be gone, so only a hit is no proof."""
    checkpoint = reading.segment.checkpoint if reading.segment is not None else None
    first = reading.files.commits[0].first_version if reading.files.commits else None
    whole = first == 0 and reading.history_from == 0
    return TableFacts(
        deletion_vectors=(reading.saw_deletion_vector if whole else None),
        change_files=(reading.saw_change_file if whole else None),
        checkpoint=CheckpointKind.NONE if checkpoint is None else _CHECKPOINTS[checkpoint.kind],
        commits_cleaned=first != 0,
    )


def _as_data(error: Exception) -> TableError:
    if isinstance(error, DeltaResolverError):
        return TableError(error.code, error.message, error.fix, dict(error.details))
    fix = "Report this with the table's log, if you can share it."
    return TableError("DR999", f"{type(error).__name__}: {error}", fix, {"exception": type(error).__name__})
