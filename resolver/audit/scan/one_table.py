"""Audit one table: fill in every field of `TableAudit`, in any process."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import attrs
import msgspec

from deltaresolver.audit.document.asked_of_tables import AskedOfTable, AskedOfTables
from deltaresolver.audit.document.client_profiles import ClientProfiles
from deltaresolver.audit.document.next_step import next_step
from deltaresolver.audit.scan.feature_uses import feature_facts
from deltaresolver.audit.scan.health import health_of
from deltaresolver.audit.scan.log_reading import LogReading, read_log
from deltaresolver.audit.scan.protocol_history import feature_timeline, protocol_events, protocol_facts
from deltaresolver.audit.scan.rule_set import FindingFilter, RuleSet
from deltaresolver.audit.scan.table_advice import TableAdvice
from deltaresolver.clients.table_facts import CheckpointForm, TableFacts
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.errors import DeltaResolverError, TableTooLargeError
from deltaresolver.log.storage.locations import open_store
from deltaresolver.model.audit_finding import Finding
from deltaresolver.model.audit_rule import AuditedTable, TableAdviser
from deltaresolver.model.audit_table import FeatureFacts, FeatureUse, NextStep, TableAudit, TableError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import walk_fields
from deltaresolver.model.view import TableView
from deltaresolver.planning.advice import Advice
from deltaresolver.planning.lake.lake import TablePlace
from deltaresolver.planning.table_reading import CHECKPOINT_FORMS


@attrs.define(eq=False)
class Auditor:
    """Audits tables with the same settings; remembers verdicts and other answers that tables share."""

    catalog: FeatureCatalog
    rules: RuleSet
    profiles: ClientProfiles
    now_ms: int
    storage_options: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    history_limit: int = 1000
    deep: bool = False
    asked: AskedOfTables = attrs.field()

    @asked.default
    def _asked_alike(self) -> AskedOfTables:
        return AskedOfTables(self.profiles.knowledge, self.profiles.asked)

    def audit(self, location: str) -> TableAudit:
        """The audit of the table at `location`. A fault of the table is part of the audit and never raised."""
        try:
            reading = read_log(open_store(location, self.storage_options), self.history_limit, deep=self.deep)
        except Exception as error:  # noqa: BLE001 - one bad location must not end the audit of all others
            reading = LogReading(location, error=error)
        reading.location = location
        advice: TableAdvice | None = None
        adviser: TableAdviser | None = None
        audit = TableAudit(location, error=None if reading.error is None else _as_data(reading.error))
        if reading.error is None and reading.protocol is not None and reading.metadata is not None:
            try:
                advice = adviser = self._advice(reading)
                audit = self._readable(reading, reading.protocol, reading.metadata, advice)
            except Exception as error:  # noqa: BLE001 - a schema or property that nobody can read
                adviser = None if advice is None else advice.of_unreadable()
                audit = TableAudit(
                    location, error=_as_data(error), protocol=protocol_facts(reading.protocol), health=audit.health
                )
        audit = msgspec.structs.replace(audit, health=health_of(reading))
        table = AuditedTable(audit, reading.protocol, reading.metadata, self.catalog, self.now_ms, adviser)
        audit = self._judged(audit, self.rules.findings(table))
        return msgspec.structs.replace(audit, next_step=next_step(audit))

    def given_up(self, location: str, error: DeltaResolverError) -> TableAudit:
        """The audit of a table that exceeded its budget: the error alone, without reading the table."""
        audit = TableAudit(location, error=_as_data(error))
        table = AuditedTable(audit, None, None, self.catalog, self.now_ms, None)
        audit = self._judged(audit, self.rules.findings(table))
        return msgspec.structs.replace(audit, next_step=next_step(audit))

    def _judged(self, audit: TableAudit, findings: tuple[Finding, ...]) -> TableAudit:
        """The audit with its owner, and with the findings that the lake.toml does not waive."""
        lake = self.asked.lake
        if lake is None:
            return msgspec.structs.replace(audit, findings=findings)
        place = lake.place(audit.location, *filter(None, (audit.name,)))
        kept, borne = FindingFilter(lake, datetime.fromtimestamp(self.now_ms / 1000, UTC).date()).of(findings, place)
        # People know the name in a catalog or the lake.toml; few ever see the name in the metadata.
        owner, names = lake.owner_of(place), [name for name in place.names if name != audit.name]
        return msgspec.structs.replace(
            audit,
            findings=kept,
            borne=borne,
            owner=None if owner is None else str(owner),
            name=next(iter(names), audit.name),
        )

    def asked_of(self, location: str, name: str | None) -> AskedOfTable:
        """The clients to ask about for the table at `location`; `name` is the one in its metadata."""
        lake = self.asked.lake
        names = filter(None, (name,))
        return self.asked.on(TablePlace(location, tuple(names)) if lake is None else lake.place(location, *names))

    def _advice(self, reading: LogReading) -> TableAdvice:
        facts = _table_facts(reading)
        metadata = reading.metadata
        asked = self.asked_of(reading.location, None if metadata is None else metadata.name)
        return TableAdvice(asked.adviser, self.catalog, reading.location, self.storage_options, facts, reading)

    def _readable(self, reading: LogReading, protocol: Protocol, metadata: Metadata, advice: TableAdvice) -> TableAudit:
        view = TableView(metadata)
        features = feature_facts(protocol, view, self.catalog)
        events = protocol_events(reading, self.catalog)
        needs = TableNeeds.of(protocol, metadata, advice.facts, self.catalog, view)
        profile = self.profiles.profile(needs)
        blockers = self.asked_of(reading.location, metadata.name).blockers
        features = self._with_advice(features, advice)
        lowest, way_down = self._lowest(protocol, features, advice)
        return TableAudit(
            location=reading.location,
            name=metadata.name,
            table_id=metadata.id or None,
            table_version=None if reading.segment is None else reading.segment.table_version,
            protocol=protocol_facts(protocol),
            lowest_protocol=None if lowest is None else protocol_facts(lowest),
            way_down=way_down,
            silently_wrong=blockers.silently_wrong(needs),
            features=features,
            history=events,
            history_from=reading.history_from,
            timeline=feature_timeline(events, protocol, reading, self.catalog),
            profile=profile.key,
            locked_out_of_read=profile.locked_out_of_read,
            locked_out_of_append=profile.locked_out_of_append,
            blocked=tuple(blockers.blocked(needs, advice)),
            properties=dict(metadata.configuration),
            partition_columns=metadata.partition_columns,
            column_count=sum(1 for _ in walk_fields(metadata.schema)),
            created_ms=metadata.created_time,
        )

    def _with_advice(self, features: tuple[FeatureFacts, ...], advice: TableAdvice) -> tuple[FeatureFacts, ...]:
        """The features; an unused one that can be dropped gets the plan that drops it."""
        return tuple(
            self._dropped(one, advice) if one.listed and self._is_superfluous(one) else one for one in features
        )

    def _is_superfluous(self, feature: FeatureFacts) -> bool:
        return feature.use is FeatureUse.UNUSED and self.catalog.get(feature.name).is_removable

    def _dropped(self, feature: FeatureFacts, advice: TableAdvice) -> FeatureFacts:
        found = advice.without((feature.name,))
        if found is None:
            return feature
        before, after = (self.profiles.profile(state.needs) for state in (found.plan.start, found.plan.end))
        opens = max(
            before.locked_out_of_read - after.locked_out_of_read,
            before.locked_out_of_append - after.locked_out_of_append,
        )
        return msgspec.structs.replace(feature, advice=found.title, command=found.command, opens=max(opens, 0))

    def _lowest(
        self, protocol: Protocol, features: tuple[FeatureFacts, ...], advice: TableAdvice
    ) -> tuple[Protocol | None, NextStep | None]:
        """The lowest protocol that can be reached, and how; None where the catalog lacks one of the features."""
        if any(one.name not in self.catalog for one in features):
            return None, None
        unused = [one.name for one in features if self._is_superfluous(one)]
        found = advice.lower(unused) if unused else None
        return (protocol, None) if found is None else (found.protocol, self._step(found))

    def _step(self, found: Advice) -> NextStep:
        before, after = (self.profiles.profile(state.needs) for state in (found.plan.start, found.plan.end))
        opened = {
            "read": before.locked_out_of_read - after.locked_out_of_read,
            "append": before.locked_out_of_append - after.locked_out_of_append,
        }
        gains = tuple(f"{count} more known releases can {act}" for act, count in opened.items() if count > 0)
        cost = found.plan.cost
        return NextStep(found.title, found.command, gains, cost.files, cost.bytes, cost.truncations > 0)


def _table_facts(reading: LogReading) -> TableFacts:
    """Facts from the listing and the commits. A file that an old commit names may be removed since: a hint only."""
    checkpoint = reading.segment.checkpoint if reading.segment is not None else None
    first = reading.files.commits[0].first_version if reading.files.commits else None
    whole = first == 0 and reading.history_from == 0
    return TableFacts(
        deletion_vectors=(reading.saw_deletion_vector if whole else None),
        change_files=(reading.saw_change_file if whole else None),
        checkpoint=CheckpointForm.NONE if checkpoint is None else CHECKPOINT_FORMS[checkpoint.kind],
        commits_cleaned=first != 0,
    )


def _as_data(error: Exception) -> TableError:
    if isinstance(error, DeltaResolverError):
        return TableError(error.code, error.message, error.fix, dict(error.details))
    if isinstance(error, MemoryError):
        message = "The table was given up: it asked for more memory at once than it may take."
        fix = "Look at its _delta_log for files that are huge; if they are right, give --table-megabytes more."
        return TableError(TableTooLargeError.code, message, fix, {"exception": type(error).__name__})
    fix = "Report this with the table's log, if you can share it."
    return TableError("DR999", f"{type(error).__name__}: {error}", fix, {"exception": type(error).__name__})
