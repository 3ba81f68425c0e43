"""The behaviour of rowTracking at commits: new row ids, their high-water mark, and other ids after a rebase."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import attrs

from deltaresolver.errors import RowTrackingError
from deltaresolver.features.behaviour.file_statistics import physical_records
from deltaresolver.features.behaviour.row_tracking_backfill import (
    BACKFILL,
    UNBACKFILL,
    backfill_commit,
    ensure_backfills_allowed,
    ensure_backfills_do_not_meet,
    files_per_commit,
    has_ids,
    rebase_backfill,
    rebase_over_backfill,
    rebase_unbackfill,
    unbackfill_commit,
)
from deltaresolver.features.behaviour.row_tracking_domain import (
    DOMAIN,
    MISSING,
    ensure_ids_left,
    high_water_mark,
    high_water_mark_action,
)
from deltaresolver.model.actions import Action, AddFile, DomainMetadata
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, MetadataChange, RemainingTable, Winner
from deltaresolver.model.facts.keys import ROW_TRACKING
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit

FEATURE = "rowTracking"
SUSPENDED = "delta.rowTrackingSuspended"
ROW_ID_COLUMN = "delta.rowTracking.materializedRowIdColumnName"
COMMIT_VERSION_COLUMN = "delta.rowTracking.materializedRowCommitVersionColumnName"
PRESERVED_TAG = "delta.rowTracking.preserved"
ENABLEMENT_TAG = "rowTrackingEnablementOnly"


class RowTrackingBehaviour(FeatureBehaviour):
    """Gives every file the first id of its rows and the version that added them."""

    own_domains = frozenset({DOMAIN})
    properties_kept_by_replace = frozenset({ROW_TRACKING})

    def amend_metadata(self, change: MetadataChange) -> Metadata:
        """Choose the names of the columns that keep ids of moved rows; they never change."""
        metadata = change.metadata
        if FEATURE not in change.supported:
            return metadata
        properties = dict(metadata.configuration)
        for key, prefix in ((ROW_ID_COLUMN, "_row-id-col-"), (COMMIT_VERSION_COLUMN, "_row-commit-version-col-")):
            kept = change.before.metadata.configuration.get(key)
            properties[key] = kept or properties.get(key) or f"{prefix}{change.new_id()}"
        return metadata.with_configuration(properties)

    def cloned_metadata(self, source: Metadata) -> Metadata:
        """Forget these names in a clone, which gives new ids: such columns in the source's files must not be used."""
        own = {ROW_ID_COLUMN, COMMIT_VERSION_COLUMN}
        kept = {key: value for key, value in source.configuration.items() if key not in own}
        return source if len(kept) == len(source.configuration) else source.with_configuration(kept)

    def check_metadata(self, change: MetadataChange) -> None:
        """Raise `RowTrackingError` for contradictory properties, or columns named as the materialised ones."""
        is_suspended(change.metadata)
        taken = {field.name for field in change.metadata.schema.fields}
        for key in (ROW_ID_COLUMN, COMMIT_VERSION_COLUMN):
            name = change.metadata.configuration.get(key)
            if name in taken:
                raise RowTrackingError(
                    f"Column {name} has the name that {key} sets aside.",
                    fix=f"Rename column {name}.",
                    details={"column": name, "property": key},
                    delta_class="DeltaRuntimeException",
                    delta_condition="DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED",
                )

    def amend_draft(self, draft: Draft) -> Draft:
        """Give ids to files without them, and add the new high-water mark at the end."""
        for action in draft.actions:
            if isinstance(action, DomainMetadata) and action.domain == DOMAIN:
                raise RowTrackingError(
                    "Manually setting the Row ID high water mark is not allowed",
                    fix=f"Leave metadata domain {DOMAIN} to the transaction.",
                    details={"domain": DOMAIN},
                    delta_class="IllegalStateException",
                )
        if is_suspended(draft.before.metadata):
            return draft.with_actions(_without_ids(action) for action in draft.actions)
        before = high_water_mark(draft.before.domains) if FEATURE in draft.before.supported else MISSING
        mark = before
        actions: list[Action] = []
        for action in draft.actions:
            if isinstance(action, AddFile) and action.base_row_id is None:
                action = attrs.evolve(action, base_row_id=mark + 1)  # noqa: PLW2901 - the amended action
                mark += records_of(action)
            actions.append(action)
        ensure_ids_left(mark)
        if mark != before:
            actions.append(high_water_mark_action(mark))
        return draft.with_actions(_with_commit_version(action, draft.table_version) for action in actions)

    def settle_metadata(self, draft: Draft, winner: Winner) -> Draft | None:
        """Accept a winner that only enables row tracking: rows that the draft moves do not keep their ids."""
        if FEATURE not in draft.supported or winner.tags.get(ENABLEMENT_TAG) != "true" or winner.metadata is None:
            return None
        return attrs.evolve(draft, metadata=winner.metadata).with_tag(PRESERVED_TAG, "false")

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """A winner may enable row tracking and set the names of its columns."""
        switched_on = winner.metadata is not None and _is_on(winner.metadata, ROW_TRACKING)
        return {
            ROW_TRACKING: switched_on and FEATURE in draft.supported,
            ROW_ID_COLUMN: switched_on,
            COMMIT_VERSION_COLUMN: switched_on,
        }

    def skips_append_check(self, draft: Draft, winner: Winner) -> bool:
        """True for backfills: they only add existing files again, and are rebased file by file."""
        return not {BACKFILL, UNBACKFILL}.isdisjoint({draft.operation.name, winner.operation})

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """Give ids that begin after the winner's high-water mark, and the new version of the commit."""
        draft = _with_preservation_tag(draft, winner)
        if draft.operation.name == BACKFILL:
            draft = rebase_backfill(draft, winner)
        if winner.operation == BACKFILL:
            draft = rebase_over_backfill(draft, winner)
        if draft.operation.name == UNBACKFILL:
            ensure_backfills_do_not_meet(winner)
            draft = rebase_unbackfill(draft, winner)
        return draft if is_suspended(draft.metadata) else _reassigned(draft, winner)

    def rebase_removal(self, draft: Draft, winner: Winner, table: RemainingTable) -> Draft:
        """Make the commit that drops the feature also remove the ids that the winner assigned."""
        return rebase_unbackfill(draft, winner)

    def enabling_commit(
        self, table: RemainingTable, proposed: Metadata, made: Sequence[str]
    ) -> PreparatoryCommit | None:
        """Support the feature, so that new files get ids; then give ids to the files without."""
        if not _is_on(proposed, ROW_TRACKING) or _is_on(table.metadata, ROW_TRACKING):
            return None
        ensure_backfills_allowed(table.session)
        if FEATURE not in table.supported:
            return PreparatoryCommit(supports=FEATURE)
        return backfill_commit(table.files(), made, files_per_commit(table.session))

    def tags_of_change(self, changed: Mapping[str, str]) -> Mapping[str, str]:
        """Tag a commit that only enables row tracking: other writers can then rebase over it."""
        only_switched_on = changed.keys() == {ROW_TRACKING} and changed[ROW_TRACKING].lower() == "true"
        return {ENABLEMENT_TAG: "true"} if only_switched_on else {}

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Disable it and suspend new ids, also where that is done already; then remove the ids from all files."""
        if "SET TBLPROPERTIES" not in made and self.find_trace(table) is not None:
            switched = {ROW_TRACKING: "false", SUSPENDED: "true"}
            operation = Operation("SET TBLPROPERTIES", {"properties": json.dumps(switched, separators=(",", ":"))})
            properties = {**table.metadata.configuration, **switched}
            return PreparatoryCommit(operation, metadata=table.metadata.with_configuration(properties))
        return unbackfill_commit(table.files(), made, files_per_commit(table.session))

    def find_trace(self, table: RemainingTable) -> str | None:
        """That new ids are not suspended, or a file with row ids."""
        if _is_on(table.metadata, ROW_TRACKING) or not _is_on(table.metadata, SUSPENDED):
            return f"{SUSPENDED} is not true"
        tracked = (file.path for file in table.files() if has_ids(file))
        path = next(tracked, None)
        return None if path is None else f"{path} has row ids"

    def removal_actions(self, table: RemainingTable) -> Sequence[Action]:
        """Remove the high-water mark together with the feature."""
        domain = table.domains().get(DOMAIN)
        return () if domain is None else (attrs.evolve(domain, removed=True),)


def is_suspended(metadata: Metadata) -> bool:
    """Whether new ids are suspended. Raises `RowTrackingError` for a table that also has row tracking enabled."""
    suspended = _is_on(metadata, SUSPENDED)
    if suspended and _is_on(metadata, ROW_TRACKING):
        raise RowTrackingError(
            f"{ROW_TRACKING} and {SUSPENDED} are both true.",
            fix=f"Unset {SUSPENDED} to track rows, or {ROW_TRACKING} to stop.",
            details={"properties": [ROW_TRACKING, SUSPENDED]},
            delta_condition="DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
        )
    return suspended


def records_of(file: AddFile) -> int:
    """The number of row ids that a file needs. Raises `RowTrackingError` where its statistics do not have it."""
    count = physical_records(file)
    if count is None:
        raise RowTrackingError(
            f"{file.path} has no numRecords in its statistics, so its rows cannot be given ids.",
            fix="Write numRecords with every file of a table that supports rowTracking.",
            details={"path": file.path},
            delta_condition="DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS",
        )
    return count


def _is_on(metadata: Metadata, key: str) -> bool:
    return metadata.is_on(key)


def _without_ids(action: Action) -> Action:
    if isinstance(action, AddFile) and (action.base_row_id, action.default_row_commit_version) != (None, None):
        return attrs.evolve(action, base_row_id=None, default_row_commit_version=None)
    return action


def _with_commit_version(action: Action, table_version: int) -> Action:
    if isinstance(action, AddFile) and action.default_row_commit_version is None:
        return attrs.evolve(action, default_row_commit_version=table_version)
    return action


def _with_preservation_tag(draft: Draft, winner: Winner) -> Draft:
    """The draft with the tag that moved rows did not keep ids, where it began before row tracking was enabled."""
    metadata = winner.metadata
    if metadata is None or metadata != draft.metadata or not _is_on(metadata, ROW_TRACKING):
        return draft
    if winner.before_metadata.configuration.get(ROW_TRACKING) == metadata.configuration.get(ROW_TRACKING):
        return draft
    return draft.with_tag(PRESERVED_TAG, "false")


def _reassigned(draft: Draft, winner: Winner) -> Draft:
    read_mark = high_water_mark(draft.before.domains)
    written = next((domain for domain in winner.domains if domain.domain == DOMAIN), None)
    mark = read_mark if written is None else high_water_mark({DOMAIN: written})
    actions: list[Action] = []
    for action in draft.actions:
        if isinstance(action, AddFile):
            if action.base_row_id is None or action.base_row_id > read_mark:
                action = attrs.evolve(action, base_row_id=mark + 1)  # noqa: PLW2901 - the amended action
                mark += records_of(action)
            if action.default_row_commit_version in (None, winner.table_version):
                action = attrs.evolve(  # noqa: PLW2901 - the amended action
                    action, default_row_commit_version=winner.table_version + 1
                )
        elif isinstance(action, DomainMetadata) and action.domain == DOMAIN:
            continue
        actions.append(action)
    ensure_ids_left(mark)
    return draft.with_actions((high_water_mark_action(mark), *actions))
