"""Who changed a table's protocol, when and why, and during what time each feature was supported."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from deltaresolver.audit.scan.commit_search import StateCommit
from deltaresolver.audit.scan.log_reading import LogReading
from deltaresolver.log.history import HistoryEntry
from deltaresolver.log.protocol_change import describe_protocol_change
from deltaresolver.model.audit_table import Cause, FeatureSpan, ProtocolEvent, ProtocolFacts
from deltaresolver.model.catalog import FeatureCatalog, Memo
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.planning.protocol_causes import causes_of, dropped_features
from deltaresolver.resolution.prepared import prepare

MAX_ASKED = 1 << 14


def protocol_facts(protocol: Protocol) -> ProtocolFacts:
    """A protocol in the document's form."""
    return ProtocolFacts(
        protocol.min_reader_version,
        protocol.min_writer_version,
        None if protocol.reader_features is None else tuple(sorted(protocol.reader_features)),
        None if protocol.writer_features is None else tuple(sorted(protocol.writer_features)),
    )


def protocol_events(reading: LogReading, catalog: FeatureCatalog) -> tuple[ProtocolEvent, ...]:
    """Every commit left in the log that changed the protocol, newest first."""
    events: list[ProtocolEvent] = []
    protocol, metadata = reading.before_first, None
    for commit in reading.state_commits:
        after, metadata_after = commit.protocol or protocol, commit.metadata or metadata
        if after is not None and commit.protocol is not None and after != protocol:
            events.append(_event(commit, protocol, after, metadata, metadata_after, catalog))
        protocol, metadata = after, metadata_after
    events.reverse()
    return tuple(events)


def _event(
    commit: StateCommit,
    before: Protocol | None,
    after: Protocol,
    metadata_before: Metadata | None,
    metadata_after: Metadata | None,
    catalog: FeatureCatalog,
) -> ProtocolEvent:
    told = _change_told(commit, before, after, metadata_before, metadata_after, catalog)
    entry = HistoryEntry(commit.file.last_version, _time(commit), commit.info, None)
    return ProtocolEvent(
        table_version=entry.table_version,
        timestamp_ms=entry.timestamp_ms,
        after=told.after,
        before=told.before,
        raises=told.raises,
        operation=entry.operation,
        user=entry.user,
        engine=entry.engine,
        causes=told.causes,
        removed=told.removed,
    )


@attrs.frozen(slots=True)
class _ToldChange:
    """The description of a change, shared by all commits that make the same one."""

    before: ProtocolFacts | None
    after: ProtocolFacts
    raises: bool
    causes: tuple[Cause, ...]
    removed: tuple[str, ...]


def _nothing_told(_: FeatureCatalog) -> Memo[_ToldChange]:
    return Memo()


def _change_told(
    commit: StateCommit,
    before: Protocol | None,
    after: Protocol,
    metadata_before: Metadata | None,
    metadata_after: Metadata | None,
    catalog: FeatureCatalog,
) -> _ToldChange:
    known = catalog.derived(_nothing_told)
    # Of the operation's parameters only the properties matter here.
    asked = HistoryEntry(0, 0, commit.info, None).parameters.get("properties", "")
    sides = [() if one is None else one.for_rules for one in (metadata_before, metadata_after)]
    comparable = isinstance(asked, str) and len(asked) <= MAX_ASKED and None not in sides
    key = (before, after, *sides, asked) if comparable else None
    return known.find(key) or known.keep(
        key, _tell_change(commit, before, after, metadata_before, metadata_after, catalog)
    )


def _tell_change(
    commit: StateCommit,
    before: Protocol | None,
    after: Protocol,
    metadata_before: Metadata | None,
    metadata_after: Metadata | None,
    catalog: FeatureCatalog,
) -> _ToldChange:
    if before is None:
        # In the first commit every column is new: that explains nothing, and comparing them takes long.
        metadata_before = None if metadata_after is None else attrs.evolve(metadata_after, configuration={})
    elif metadata_before is None:
        # The metadata before is in a checkpoint. Without it every column and property would seem new.
        metadata_before = metadata_after
    change = describe_protocol_change(before, after, metadata_before, metadata_after)
    entry = HistoryEntry(commit.file.last_version, _time(commit), commit.info, change)
    causes = causes_of(entry, catalog, lambda _: metadata_after)
    return _ToldChange(
        None if before is None else protocol_facts(before),
        protocol_facts(after),
        change.raises,
        tuple(Cause(cause.feature, cause.because) for cause in causes),
        tuple(dropped_features(change, catalog)),
    )


def _time(commit: StateCommit) -> int:
    """The `inCommitTimestamp` of the commit where it has one, else the time of its file."""
    own = commit.info.fields.get("inCommitTimestamp")
    return own if isinstance(own, int) and not isinstance(own, bool) else commit.file.modified_ms


def feature_timeline(
    events: Sequence[ProtocolEvent], protocol: Protocol, reading: LogReading, catalog: FeatureCatalog
) -> tuple[FeatureSpan, ...]:
    """From when to when each feature was supported, as far as the log shows; sorted by beginning and name."""
    prepared = prepare(catalog)
    first = reading.files.commits[0] if reading.files.commits else None
    begin = (0, 0) if first is None else (first.first_version, first.modified_ms)
    open_spans: dict[str, tuple[int, int, bool]] = {}
    spans: list[FeatureSpan] = []
    for event in reversed(events):
        if event.before is not None and not open_spans and not spans:
            for name in _names(event.before, prepared.supported(_protocol(event.before))):
                open_spans[name] = (*begin, True)
        now = _names(event.after, prepared.supported(_protocol(event.after)))
        ended = [name for name in open_spans if name not in now]
        spans.extend(_span(name, open_spans.pop(name), event) for name in ended)
        for name in now:
            open_spans.setdefault(name, (event.table_version, event.timestamp_ms, _is_unknown_start(event)))
    if not events:
        for name in prepared.supported(protocol) | protocol.listed_features:
            open_spans[name] = (*begin, begin[0] > 0)
    spans.extend(_span(name, start, None) for name, start in open_spans.items())
    return tuple(sorted(spans, key=lambda one: (one.since_version, one.feature)))


def _is_unknown_start(event: ProtocolEvent) -> bool:
    return event.before is None and event.table_version > 0


def _names(facts: ProtocolFacts, known: frozenset[str]) -> frozenset[str]:
    return known | frozenset(facts.writer_features or ()) | frozenset(facts.reader_features or ())


def _protocol(facts: ProtocolFacts) -> Protocol:
    return Protocol(
        facts.reader_version,
        facts.writer_version,
        None if facts.reader_features is None else frozenset(facts.reader_features),
        None if facts.writer_features is None else frozenset(facts.writer_features),
    )


def _span(name: str, start: tuple[int, int, bool], end: ProtocolEvent | None) -> FeatureSpan:
    since_version, since_ms, from_start = start
    if end is None:
        return FeatureSpan(name, since_version, since_ms, from_start=from_start)
    return FeatureSpan(name, since_version, since_ms, end.table_version, end.timestamp_ms, from_start)
