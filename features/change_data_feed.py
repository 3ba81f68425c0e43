"""changeDataFeed: row-level changes are recorded beside the data, so that readers can ask what changed.

The older property name still works, but only where the newer one is missing.
"""

from __future__ import annotations

from deltaresolver.errors import ColumnMappingError, SchemaRuleError
from deltaresolver.features.behaviour.column_changes import columns_dropped_or_renamed
from deltaresolver.model.actions import AddFile, ChangeFile, RemoveFile
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, MetadataChange
from deltaresolver.model.facts.columns import mapping_mode
from deltaresolver.model.facts.keys import CHANGE_DATA_FEED
from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl

RESERVED = frozenset({"_change_type", "_commit_version", "_commit_timestamp"})


class ChangeDataFeedBehaviour(FeatureBehaviour):
    """Refuses columns with names of the feed, and new names for columns in a commit with files."""

    def check_metadata(self, change: MetadataChange) -> None:
        """Raise `SchemaRuleError` for a column with a name that the feed uses."""
        if not change.metadata.is_on(CHANGE_DATA_FEED):
            return
        taken = sorted(field.name for field in change.metadata.schema.fields if field.name.lower() in RESERVED)
        if taken:
            was_on = change.before.metadata.is_on(CHANGE_DATA_FEED)
            raise SchemaRuleError(
                f"The change data feed has columns of its own named {', '.join(taken)}.",
                fix="Rename the columns of the table, or leave the change data feed off.",
                details={"columns": taken},
                delta_condition="RESERVED_CDC_COLUMNS_ON_WRITE"
                if was_on
                else "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS",
            )

    def check_draft(self, draft: Draft) -> None:
        """Raise `ColumnMappingError` for a commit that both writes files and renames columns."""
        before, metadata = draft.before.metadata, draft.metadata
        if not draft.changes_metadata or draft.before.is_new or mapping_mode(metadata) == "none":
            return
        if not metadata.is_on(CHANGE_DATA_FEED):
            return
        if not any(isinstance(action, (AddFile, RemoveFile, ChangeFile)) for action in draft.actions):
            return
        if mapping_mode(before) == "none" or columns_dropped_or_renamed(before.schema, metadata.schema):
            raise ColumnMappingError(
                f"{draft.operation.name} writes files while columns change names; the feed cannot tell both.",
                fix="Change the columns and write the files in two commits.",
                details={"operation": draft.operation.name},
                delta_class="DeltaUnsupportedOperationException",
                delta_condition="DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION",
            )


@hookimpl
def table_feature() -> TableFeature:
    """Declare changeDataFeed."""
    return TableFeature(
        name="changeDataFeed",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=4,
        summary="Row-level changes are recorded for readers of the change data feed.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#change-data-files",
        legacy=LegacyVersion(0, 4, check_order=5),
        trigger=PropertyIsTrue(CHANGE_DATA_FEED, aliases=("delta.enableChangeDataCapture",)),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        behaviour=ChangeDataFeedBehaviour(),
        support=Support(),
    )
