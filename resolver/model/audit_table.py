"""What an audit knows about one table, in the shape it is written in: frozen values with a JSON form.

Times are milliseconds since the epoch. None means not known.
"""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from deltaresolver.model.audit_finding import Finding


class _Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """A frozen value; in JSON a field that has its default is left out."""


class FeatureUse(enum.Enum):
    """What keeps a supported feature in a protocol."""

    ENABLED = "enabled"
    """The metadata switches it on."""
    NEEDED = "needed"
    """Another enabled feature depends on it."""
    UNUSED = "unused"
    """Nothing that protocol and metadata tell needs it."""
    UNKNOWN = "unknown"
    """No installed plugin knows it, or only the data can tell whether it is used."""


class ProtocolFacts(_Value, frozen=True):
    """A protocol as the log has it; the lists are None in a protocol of numbered versions."""

    reader_version: int
    writer_version: int
    reader_features: tuple[str, ...] | None = None
    writer_features: tuple[str, ...] | None = None


class FeatureFacts(_Value, frozen=True):
    """One supported feature of a table.

    listed       named in the protocol; otherwise a numbered version implies it
    for_readers  readers must know it too
    reasons      what enables it: properties and columns, one phrase each
    needed_by    enabled features that depend on it
    remedies     what would stop it being enabled, one sentence each
    advice       of one that nothing uses: how it goes, with what that costs
    command      the command that does so, if it harms no client that matters
    opens        how many known releases that are locked out now could use the table then
    """

    name: str
    use: FeatureUse
    listed: bool
    for_readers: bool
    reasons: tuple[str, ...] = ()
    needed_by: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()
    advice: str | None = None
    command: str | None = None
    opens: int = 0


class Cause(_Value, frozen=True):
    """A feature that one commit brought, and what in that commit called for it; empty where nothing shows."""

    feature: str
    because: tuple[str, ...] = ()


class ProtocolEvent(_Value, frozen=True):
    """One commit that changed the protocol; `before` is None for the first commit that the log still has."""

    table_version: int
    timestamp_ms: int
    after: ProtocolFacts
    before: ProtocolFacts | None = None
    raises: bool = False
    operation: str | None = None
    user: str | None = None
    engine: str | None = None
    causes: tuple[Cause, ...] = ()
    removed: tuple[str, ...] = ()


class FeatureSpan(_Value, frozen=True):
    """From when to when a feature was supported, as far as the log shows; `until_version` None: it still is."""

    feature: str
    since_version: int
    since_ms: int
    until_version: int | None = None
    until_ms: int | None = None
    from_start: bool = False
    """Whether it may be older: the commits before `since_version` are gone from the log."""


class ConflictingProperty(_Value, frozen=True):
    """A property that should not stand in a table's metadata, or contradicts another one."""

    key: str
    value: str
    problem: str


class Health(_Value, frozen=True):
    """The state of a table's log.

    commits                  commit files left in the log, and their bytes
    first_version            the oldest commit left
    commits_since_checkpoint how many commits a reader replays after the newest checkpoint
    gaps                     versions missing between the oldest and the newest commit
    torn_files               log files that are empty or cut off
    incomplete_checkpoints   versions of checkpoints that lack a part
    missing_sidecars         files that the newest checkpoint points at and that are not there
    compactions_over_gaps    compaction files that cover a missing version
    wrong_hint               what is wrong with `_last_checkpoint`
    hint_dangles             whether it can be read, and names a checkpoint that is not there
    wrong_checksum           what the newest version's checksum says that the log does not
    checksum_is_believed     whether readers take it all the same, since its transaction id is the commit's
    last_commit_ms           when the newest commit file was written
    """

    commits: int = 0
    commit_bytes: int = 0
    log_files: int = 0
    first_version: int | None = None
    checkpoint_version: int | None = None
    checkpoint_kind: str = "none"
    checkpoint_ms: int | None = None
    commits_since_checkpoint: int = 0
    gaps: tuple[int, ...] = ()
    torn_files: tuple[str, ...] = ()
    incomplete_checkpoints: tuple[int, ...] = ()
    missing_sidecars: tuple[str, ...] = ()
    has_checksum: bool = False
    last_commit_ms: int | None = None
    log_retention: str | None = None
    deleted_file_retention: str | None = None
    conflicting_properties: tuple[ConflictingProperty, ...] = ()
    compactions_over_gaps: tuple[str, ...] = ()
    wrong_hint: str | None = None
    hint_dangles: bool = False
    wrong_checksum: str | None = None
    checksum_is_believed: bool = False


class TableError(_Value, frozen=True):
    """Why a table cannot be read."""

    code: str
    message: str
    fix: str
    details: dict[str, Any] = {}


class NextStep(_Value, frozen=True):
    """What to do next about a table: a sentence, the command, what it brings and what it costs.

    files     how many data files it rewrites, and their `bytes`
    truncates whether it cuts history
    """

    title: str
    command: str | None = None
    gains: tuple[str, ...] = ()
    files: int = 0
    bytes: int = 0
    truncates: bool = False


class Blocked(_Value, frozen=True):
    """A release that was asked about by name and cannot do something with a table, on the worst of its paths.

    path      the path that the reason is about, of a client that has several
    works_on  its other paths, where it works
    upgrade   its newest known release, if that works
    advice    a plan that opens the table to it and harms no other client asked about, with what it costs
    command   the command that carries the plan out; none where there is no such plan
    changes   the plan's steps
    drops     the features that the plan takes away
    files     how many data files the plan rewrites, and their `bytes`
    truncates whether it cuts history
    """

    release: str
    act: str
    outcome: str
    reason: str
    drops: tuple[str, ...] = ()
    path: str | None = None
    works_on: tuple[str, ...] = ()
    upgrade: str | None = None
    advice: str | None = None
    command: str | None = None
    changes: tuple[str, ...] = ()
    files: int = 0
    bytes: int = 0
    truncates: bool = False


class TableAudit(_Value, frozen=True):
    """All that is known about one table.

    A table that cannot be read has an `error` and no protocol; what its listing showed is in `health`.

    lowest_protocol  the lowest protocol that it can be brought to by giving up only what nothing uses, without
                     taking anything from a client that matters
    way_down         how it gets there
    silently_wrong   newest releases, beside those asked about, that read or write it wrongly without an error
    profile          key of its `ClientProfile`: tables that demand the same of clients share one
    history_from     the oldest version that the protocol history reaches back to
    owner            whose table it is, by the lake.toml
    borne            how many findings the lake.toml waives
    """

    location: str
    name: str | None = None
    table_id: str | None = None
    error: TableError | None = None
    table_version: int | None = None
    protocol: ProtocolFacts | None = None
    lowest_protocol: ProtocolFacts | None = None
    way_down: NextStep | None = None
    silently_wrong: tuple[str, ...] = ()
    features: tuple[FeatureFacts, ...] = ()
    history: tuple[ProtocolEvent, ...] = ()
    history_from: int | None = None
    timeline: tuple[FeatureSpan, ...] = ()
    profile: str | None = None
    locked_out_of_read: int = 0
    locked_out_of_append: int = 0
    blocked: tuple[Blocked, ...] = ()
    health: Health = Health()
    properties: dict[str, str] = {}
    partition_columns: tuple[str, ...] = ()
    column_count: int = 0
    created_ms: int | None = None
    findings: tuple[Finding, ...] = ()
    next_step: NextStep | None = None
    owner: str | None = None
    borne: int = 0

    @property
    def is_readable(self) -> bool:
        """Whether its state could be read."""
        return self.error is None
