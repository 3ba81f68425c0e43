"""The state of a table's latest version, from which a plan starts, and the facts in its log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from deltaresolver.clients.table_facts import CheckpointForm, TableFacts
from deltaresolver.errors import InCommitTimestampMissingError, LogError
from deltaresolver.log import segment
from deltaresolver.log.listing import list_log
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.keys import IN_COMMIT_TIMESTAMPS
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.planning.state import FileCounts, PlanState, in_half_a_sentence
from deltaresolver.table import Table

if TYPE_CHECKING:
    from deltaresolver.log.replay.few_kinds import FileKind

CHECKPOINT_FORMS = {
    segment.CheckpointKind.CLASSIC: CheckpointForm.CLASSIC,
    segment.CheckpointKind.MULTI_PART: CheckpointForm.CLASSIC,
    segment.CheckpointKind.V2_JSON: CheckpointForm.V2_JSON,
    segment.CheckpointKind.V2_PARQUET: CheckpointForm.V2_PARQUET,
}


def state_of_table(table: Table) -> PlanState:
    """The latest version of a table, its files counted. Raises `LogError`."""
    return state_of_snapshot(table.catalog, table.update())


def state_of_snapshot(
    catalog: FeatureCatalog,
    snapshot: Snapshot,
    needs_files: Callable[[PlanState], bool] = lambda _: True,
    commits_cleaned: bool | None = None,
) -> PlanState:
    """One version of a table, its files counted where they are needed. Raises `LogError`.

    `commits_cleaned` is known to the caller, who has listed the log.
    """
    facts = facts_of_log(snapshot, commits_cleaned)
    domains = dict(snapshot.domains) if keeps_domains(snapshot.protocol) else {}
    without = PlanState(
        catalog,
        snapshot.protocol,
        snapshot.metadata,
        attrs.evolve(facts, deletion_vectors=False),
        domains=domains,
        totals=FileCounts(),
        table_version=snapshot.table_version,
        location=snapshot.store.location,
        refusal=refusal_of_log(snapshot.store, snapshot.segment, snapshot.metadata),
    )
    if not needs_files(without):
        return without
    totals, examples = _files(snapshot)
    known = attrs.evolve(facts, deletion_vectors=totals.marked_files > 0)
    return attrs.evolve(without, facts=known, examples=examples, totals=totals)


def refusal_of_log(store: LogStore, log_segment: segment.LogSegment, metadata: Metadata) -> str | None:
    """Why no commit can follow: it needs an in-commit timestamp after that of the version, which has none; or None."""
    if metadata.configuration.get(IN_COMMIT_TIMESTAMPS, "").lower() != "true":
        return None
    # Few tables have in-commit timestamps.
    from deltaresolver.log.timestamps import read_version_timestamp  # noqa: PLC0415

    try:
        read_version_timestamp(store, log_segment, metadata)
    except InCommitTimestampMissingError as error:
        return in_half_a_sentence(error)
    return None


def keeps_domains(protocol: Protocol) -> bool:
    """Whether the table may have metadata domains, which only the content of the log shows."""
    return "domainMetadata" in protocol.listed_features


def checkpoint_form(protocol: Protocol, checkpoint: segment.CheckpointFiles | None) -> CheckpointForm | None:
    """The form of a version's checkpoint, by its name; None where the name does not decide it."""
    kind = CheckpointForm.NONE if checkpoint is None else CHECKPOINT_FORMS[checkpoint.kind]
    # A checkpoint with a classic name may be a V2 checkpoint.
    return None if kind is CheckpointForm.CLASSIC and "v2Checkpoint" in protocol.listed_features else kind


def facts_of_log(snapshot: Snapshot, commits_cleaned: bool | None = None) -> TableFacts:
    """Facts about the log of a version; facts that only data files show are left unknown."""
    protocol, checkpoint = snapshot.protocol, snapshot.segment.checkpoint
    if commits_cleaned is None:
        commits_cleaned = checkpoint is not None and not list_log(snapshot.store, 0, 0).commits
    return TableFacts(
        checkpoint=checkpoint_form(protocol, checkpoint),
        commits_cleaned=commits_cleaned,
        domains=frozenset(snapshot.domains) if keeps_domains(protocol) else None,
    )


def _files(snapshot: Snapshot) -> tuple[FileCounts, tuple[AddFile, ...]]:
    """The totals, and one file of each kind that makes a difference to steps."""
    kinds = None if snapshot.holds_files else _few_kinds(snapshot)
    if kinds is None:
        # Without a checkpoint, a small log is read without Arrow.
        from deltaresolver.log.columnar.file_kinds import count_kinds, joined_kinds  # noqa: PLC0415
        from deltaresolver.log.pruning.counted_files import count_files  # noqa: PLC0415

        kinds = joined_kinds(count_files(snapshot, count_kinds))
    totals = FileCounts(
        files=sum(one.files for one in kinds),
        size=sum(one.size for one in kinds),
        marked_files=sum(one.files for one in kinds if one.is_marked),
        marked_size=sum(one.size for one in kinds if one.is_marked),
    )
    return totals, tuple(one.first for one in kinds)


def _few_kinds(snapshot: Snapshot) -> list[FileKind] | None:
    """The kinds of files of a small, sound log; None for other logs, which the general reader handles."""
    from deltaresolver.log.replay.few_kinds import count_few, may_be_few  # noqa: PLC0415 - the same

    if not may_be_few(snapshot.segment):
        return None
    try:
        return count_few(snapshot.store, snapshot.segment)
    except LogError:
        return None
