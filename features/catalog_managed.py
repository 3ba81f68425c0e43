"""catalogManaged: the catalog, not the file system, decides which commit wins.

Readers must ask the catalog for the newest commits, or they would miss some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deltaresolver.errors import FeatureDropRefusedError, ProtocolUnsupportedError, TablePropertyRefusedError
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, MetadataChange, RemainingTable, Winner
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.support import REFUSED, SAFE, Support
from deltaresolver.plugins import hookimpl

TABLE_ID = "io.unitycatalog.tableId"


class CatalogManagedBehaviour(FeatureBehaviour):
    """Refuses commits, since this library would write them to the log without asking the catalog."""

    def check_metadata(self, change: MetadataChange) -> None:
        """Raise `TablePropertyRefusedError` for a new table, also if the session or another feature adds it."""
        begins = change.is_new_table and "catalogManaged" not in change.before.protocol.listed_features
        if change.before.is_new or begins:
            raise _only_by_a_catalog("catalogManaged", is_new_table=True)

    def check_draft(self, draft: Draft) -> None:
        """Raise `ProtocolUnsupportedError`: such a commit would not count."""
        if draft.before.is_new:
            return
        raise ProtocolUnsupportedError(
            "The table's catalog decides which commits count, and this client commits to the log alone.",
            fix="Write through a client of the table's catalog.",
            details={"feature": "catalogManaged"},
            delta_class="DeltaUnsupportedTableFeatureException",
            delta_condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
        )

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """A winner may set the catalog's id of the table; where a catalog manages the table, only once."""
        is_new = TABLE_ID not in draft.metadata.configuration
        return {TABLE_ID: is_new or "catalogManaged" not in draft.supported}

    def check_request(self, key: str, *, is_new_table: bool) -> None:
        """Raise `TablePropertyRefusedError`: only a catalog can begin to manage a table."""
        raise _only_by_a_catalog(key, is_new_table=is_new_table)

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Raise `FeatureDropRefusedError`: some commits may be known to the catalog alone."""
        raise FeatureDropRefusedError(
            "catalogManaged cannot be dropped here: the table's catalog may hold commits that the log lacks.",
            fix="Have the catalog that manages the table release it.",
            details={"feature": "catalogManaged"},
            delta_condition="DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
        )


def left_to_the_catalog(metadata: Metadata) -> str:  # noqa: ARG001 - as every such function
    """Why expired files of the log are not deleted."""
    return "the table's catalog decides what is deleted (catalogManaged)"


def _only_by_a_catalog(key: str, *, is_new_table: bool) -> TablePropertyRefusedError:
    return TablePropertyRefusedError(
        f"{key} cannot be set: only a catalog can begin to manage a table.",
        fix="Create the table through its catalog.",
        details={"key": key},
        delta_class="DeltaUnsupportedOperationException",
        delta_condition="DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION" if is_new_table else None,
    )


@hookimpl
def table_feature() -> TableFeature:
    """Declare catalogManaged."""
    return TableFeature(
        name="catalogManaged",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="The catalog decides which commits count.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#catalog-managed-tables",
        requires={"inCommitTimestamp", "vacuumProtocolCheck"},
        aborts_concurrent_writers=False,
        removal=Removal(protects_history=True),
        behaviour=CatalogManagedBehaviour(),
        owned_properties=(TABLE_ID,),
        support=Support(read=REFUSED, checkpoint=SAFE, clean_up=left_to_the_catalog),
    )
