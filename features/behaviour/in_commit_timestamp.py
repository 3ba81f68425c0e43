"""The behaviour of inCommitTimestamp at commits: increasing timestamps, and a note of when they began."""

from __future__ import annotations

import datetime
import json
import logging
from collections.abc import Mapping, Sequence

from deltaresolver.errors import ActionMalformedError
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, RemainingTable, Winner
from deltaresolver.model.facts.keys import IN_COMMIT_TIMESTAMPS, TIMESTAMPS_SINCE_TIME, TIMESTAMPS_SINCE_VERSION
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.rules import read_boolean

FEATURE = "inCommitTimestamp"
KEEPS_NOTE = "spark.databricks.delta.inCommitTimestamp.retainEnablementInfoFix.enabled"
FIELD = "inCommitTimestamp"

_MUCH_AHEAD_MS = 10 * 60_000
"""A timestamp this far ahead gets a warning; the clocks of machines usually differ by seconds only."""
_LAST_MS = 2**63 - 1
logger = logging.getLogger("deltaresolver.transaction")


class InCommitTimestampBehaviour(FeatureBehaviour):
    """Gives each commit a timestamp later than that of the one before.

    Like delta-spark it looks at the property, not at the protocol: with the property, delta-spark cannot date a commit
    without a timestamp.
    """

    goes_by_metadata = True

    def amend_draft(self, draft: Draft) -> Draft:
        """Add a timestamp after that of the version read."""
        if not is_enabled(draft.metadata):
            return draft
        previous = draft.before.find_timestamp_ms()
        timestamp = draft.now_ms if previous is None else _after(previous, draft.now_ms)
        if timestamp - draft.now_ms > _MUCH_AHEAD_MS:
            _warn_of_future(draft, timestamp)
        draft = draft.with_info(FIELD, timestamp)
        before = None if draft.before.is_new else draft.before.metadata
        return _with_enablement(draft, draft.table_version, timestamp, before)

    def cloned_metadata(self, source: Metadata) -> Metadata:
        """Remove the note of when the source's commits began to have timestamps: it is not true of the clone's own."""
        note = (TIMESTAMPS_SINCE_VERSION, TIMESTAMPS_SINCE_TIME)
        kept = {key: value for key, value in source.configuration.items() if key not in note}
        return source if len(kept) == len(source.configuration) else source.with_configuration(kept)

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """A winner may enable timestamps; the draft gets one when it is rebased."""
        before = draft.metadata.configuration
        switched_on = winner.metadata is not None and is_enabled(winner.metadata)
        return {
            IN_COMMIT_TIMESTAMPS: switched_on and FEATURE in draft.supported,
            TIMESTAMPS_SINCE_VERSION: TIMESTAMPS_SINCE_VERSION not in before,
            TIMESTAMPS_SINCE_TIME: TIMESTAMPS_SINCE_TIME not in before,
        }

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """Set a timestamp after the winner's, and correct the note of the enablement to the new version."""
        if not is_enabled(draft.metadata):
            return draft
        info = winner.commit_info
        of_winner = None if info is None else info.in_commit_timestamp
        if of_winner is None:
            of_winner = winner.file_modified_ms
        own = draft.commit_info.in_commit_timestamp
        timestamp = _after(of_winner, draft.now_ms if own is None else own)
        draft = draft.with_info(FIELD, timestamp)
        if not draft.changes_metadata:
            return draft
        before = winner.metadata or draft.before.metadata
        return _with_enablement(draft, winner.table_version + 1, timestamp, before)

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Disable the timestamps, and remove the note of when they began."""
        if self.find_trace(table) is None:
            return None
        properties = dict(table.metadata.configuration)
        keys = [
            key for key in (TIMESTAMPS_SINCE_TIME, TIMESTAMPS_SINCE_VERSION) if properties.pop(key, None) is not None
        ]
        if is_enabled(table.metadata):
            properties[IN_COMMIT_TIMESTAMPS] = "false"
            keys.append(IN_COMMIT_TIMESTAMPS)
        operation = Operation(
            "UNSET TBLPROPERTIES", {"properties": json.dumps(keys, separators=(",", ":")), "ifExists": True}
        )
        return PreparatoryCommit(operation, metadata=table.metadata.with_configuration(properties))

    def find_trace(self, table: RemainingTable) -> str | None:
        """The property, or the note of when it was set."""
        if is_enabled(table.metadata):
            return f"{IN_COMMIT_TIMESTAMPS} = true"
        notes = [
            key for key in (TIMESTAMPS_SINCE_TIME, TIMESTAMPS_SINCE_VERSION) if key in table.metadata.configuration
        ]
        return f"{', '.join(notes)} is set" if notes else None


def _after(previous: int, now_ms: int) -> int:
    """The time of a commit after one at `previous`. Raises `ActionMalformedError` where no later time exists."""
    timestamp = max(now_ms, previous + 1)
    if timestamp > _LAST_MS:
        raise ActionMalformedError(
            f"The commit before is dated {previous} ms by its in-commit timestamp, and nothing later fits in 64 bits.",
            fix=f"Set {IN_COMMIT_TIMESTAMPS} to false, which dates no commits, and then to true again.",
            details={"inCommitTimestamp": str(previous)},
        )
    return timestamp


def _warn_of_future(draft: Draft, timestamp: int) -> None:
    """Log a warning for a timestamp in the future: all commits that follow must be later still."""
    logger.warning(
        "Version %s is dated %s, a millisecond after the version before and %s minutes ahead of this machine's clock: "
        "some commit was made by a clock that was ahead. Time travel by timestamps does not find new versions until "
        "then. Once the clocks are right, set %s to false and to true again.",
        draft.table_version,
        _shown(timestamp),
        f"{(timestamp - draft.now_ms) // 60_000:,}",
        IN_COMMIT_TIMESTAMPS,
    )


def _shown(milliseconds: int) -> str:
    try:
        return datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return f"{milliseconds:,} ms"


def is_enabled(metadata: Metadata) -> bool:
    """Whether commits have timestamps. Raises `PropertyInvalidError`."""
    return metadata.is_on(IN_COMMIT_TIMESTAMPS)


def _with_enablement(draft: Draft, table_version: int, timestamp: int, before: Metadata | None) -> Draft:
    """The draft with a note of the enablement, where this commit enables timestamps, or else with the old note."""
    was_enabled = before is not None and is_enabled(before)
    properties = draft.metadata.configuration
    if not was_enabled:
        if table_version == 0 or not draft.changes_metadata:
            return draft
        note = {TIMESTAMPS_SINCE_VERSION: str(table_version), TIMESTAMPS_SINCE_TIME: str(timestamp)}
        return draft.with_metadata(draft.metadata.with_configuration({**properties, **note}))
    if before is None or not _has_note(before) or _has_note(draft.metadata):
        return draft
    if not read_boolean(KEEPS_NOTE, draft.session.get(KEEPS_NOTE, "true")):
        return draft
    kept = {key: before.configuration[key] for key in (TIMESTAMPS_SINCE_VERSION, TIMESTAMPS_SINCE_TIME)}
    return draft.with_metadata(draft.metadata.with_configuration({**properties, **kept}))


def _has_note(metadata: Metadata) -> bool:
    return {TIMESTAMPS_SINCE_VERSION, TIMESTAMPS_SINCE_TIME} <= metadata.configuration.keys()
