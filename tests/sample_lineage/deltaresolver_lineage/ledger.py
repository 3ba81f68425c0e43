"""lineageLedger: a table kept as a ledger, whose rows carry a page and which takes no rows once it is closed.

It shows the methods that `source` has no use for. The page that is open and the column that holds it are properties;
that the table is a ledger at all is noted in a metadata domain before it is switched on.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from deltaresolver.plugin import (
    SAFE,
    Action,
    ClusteringChange,
    ColumnExpression,
    ColumnSource,
    DomainMetadata,
    Draft,
    FeatureBehaviour,
    FeatureKind,
    FieldPath,
    LogTraces,
    Metadata,
    Operation,
    PreparatoryCommit,
    PropertyInvalidError,
    PropertyIsTrue,
    RemainingTable,
    Removal,
    StructField,
    Support,
    TableFeature,
    TableState,
    TransactionError,
    Winner,
    hookimpl,
)

FEATURE = "lineageLedger"
KEEP, PAGE, CLOSED, COLUMN = "ledger.keep", "ledger.page", "ledger.closed", "ledger.pageColumn"
BOOK, TAG, WAS = "lineage.ledger", "ledger.page", "ledger.was"
OPEN, CLOSE, TURN = "OPEN LEDGER", "CLOSE LEDGER", "TURN PAGE"


def is_on(metadata: Metadata, key: str) -> bool:
    """Whether a property is true."""
    return metadata.configuration.get(key, "false").lower() == "true"


class Ledger(FeatureBehaviour):
    """Opens, turns and closes."""

    own_domains = frozenset({BOOK})
    domains_ended_by_replace = frozenset({BOOK})

    # --- switched on, and changed ---------------------------------------------------------------

    def check_request(self, key: str, *, is_new_table: bool) -> None:
        """A table that is there becomes a ledger by its property, so that its book is opened first."""
        if not is_new_table:
            raise PropertyInvalidError(f"{key} cannot be set.", fix=f"Set {KEEP} to true.", details={"key": key})

    def enabling_commit(
        self, table: RemainingTable, proposed: Metadata, made: Sequence[str]
    ) -> PreparatoryCommit | None:
        """A table that is there gets its book before it is a ledger."""
        if not is_on(proposed, KEEP) or is_on(table.metadata, KEEP) or OPEN in made:
            return None
        if FEATURE not in table.supported:
            return PreparatoryCommit(supports=FEATURE)
        return PreparatoryCommit(Operation(OPEN, {}), actions=(DomainMetadata(BOOK, "{}", removed=False),))

    def change_apart(
        self, table: RemainingTable, to_set: Mapping[str, str], to_unset: Sequence[str]
    ) -> PreparatoryCommit | None:
        """A ledger is closed by a commit that says so."""
        if FEATURE not in table.supported or dict(to_set) != {CLOSED: "true"} or to_unset:
            return None
        properties = {**table.metadata.configuration, CLOSED: "true"}
        return PreparatoryCommit(Operation(CLOSE, {}), metadata=table.metadata.with_configuration(properties))

    def tags_of_change(self, changed: Mapping[str, str]) -> Mapping[str, str]:
        """Turning the page is marked, for writers who meet it."""
        return {TAG: changed[PAGE]} if changed.keys() == {PAGE} else {}

    # --- metadata -------------------------------------------------------------------------------

    def restore_metadata(self, restored: Metadata, latest: Metadata) -> Metadata:
        """Pages are never turned back."""
        if not is_on(restored, KEEP) or PAGE not in latest.configuration:
            return restored
        return restored.with_configuration({**restored.configuration, PAGE: latest.configuration[PAGE]})

    def cloned_metadata(self, source: Metadata) -> Metadata:
        """A clone begins with an open ledger."""
        return source.with_configuration({key: value for key, value in source.configuration.items() if key != CLOSED})

    def note_type_change(
        self, table: TableState, field: StructField, before: str, after: str, place: FieldPath
    ) -> Mapping[str, Any] | None:
        """A column of bytes may grow to shorts, which every reader of Parquet takes them for."""
        if FEATURE not in table.supported or (before, after) != ("byte", "short"):
            return None
        return {**(field.metadata or {}), WAS: before}

    def cluster_by(self, table: TableState, columns: Sequence[FieldPath]) -> ClusteringChange | None:
        """A closed ledger stays as it is; how an open one is clustered is another feature's."""
        if FEATURE in table.supported and is_on(table.metadata, CLOSED):
            raise PropertyInvalidError("The ledger is closed.", fix=f"Unset {CLOSED}.", details={"key": CLOSED})
        return None

    # --- commits --------------------------------------------------------------------------------

    def column_expressions(self, metadata: Metadata) -> Sequence[ColumnExpression]:
        """The column of the page need not be given: it is the page that is open."""
        column = metadata.configuration.get(COLUMN)
        if column is None:
            return ()
        return (ColumnExpression(column, ColumnSource.DEFAULT, str(int(metadata.configuration.get(PAGE, "1")))),)

    def check_draft(self, draft: Draft) -> None:
        """A closed ledger takes no rows."""
        if is_on(draft.before.metadata, CLOSED) and any(file.data_change for file in draft.adds):
            raise TransactionError(f"{CLOSED} is true.", fix=f"Unset {CLOSED} to write.", details={"key": CLOSED})

    def check_draft_without(self, draft: Draft) -> None:
        """Files of a page belong into a ledger."""
        if any(TAG in (file.tags or {}) for file in draft.adds):
            raise TransactionError("A file has a page, and the table is no ledger.", fix=f"Set {KEEP} to true first.")

    # --- other writers --------------------------------------------------------------------------

    def settle_metadata(self, draft: Draft, winner: Winner) -> Draft | None:
        """A page that somebody turned is turned for everybody."""
        if TAG not in winner.tags or winner.metadata is None or draft.changes_metadata:
            return None
        return draft.with_metadata(winner.metadata)

    def tolerated_configuration(self, draft: Draft, winner: Winner) -> Mapping[str, bool]:
        """The page may be turned beside any other change."""
        return {PAGE: FEATURE in draft.supported}

    def tolerates_schema(self, draft: Draft, winner: Winner) -> bool:
        """Remarks on columns of a ledger hurt nobody."""
        if FEATURE not in draft.supported or winner.metadata is None:
            return False
        return _without_remarks(winner.before_metadata) == _without_remarks(winner.metadata)

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """What was added to the commit holds whoever came first."""
        return draft

    def skips_append_check(self, draft: Draft, winner: Winner) -> bool:
        """Whoever turns the page has not read what others append to it."""
        return draft.operation.name == TURN

    # --- dropped --------------------------------------------------------------------------------

    def removal_actions(self, table: RemainingTable) -> Sequence[Action]:
        """The book goes with the feature."""
        domain = table.domains().get(BOOK)
        return () if domain is None else (attrs.evolve(domain, removed=True),)

    def rebase_removal(self, draft: Draft, winner: Winner, table: RemainingTable) -> Draft:
        """So does one that was opened meanwhile."""
        kept = [one for one in draft.actions if not (isinstance(one, DomainMetadata) and one.domain == BOOK)]
        return draft.with_actions([*kept, *self.removal_actions(table)])


def _without_remarks(metadata: Metadata) -> list[object]:
    return [
        (
            one.name,
            one.type,
            one.nullable,
            {key: value for key, value in (one.metadata or {}).items() if key != "comment"},
        )
        for one in metadata.schema.fields
    ]


@hookimpl
def table_feature() -> TableFeature:
    """Declare lineageLedger."""
    return TableFeature(
        name=FEATURE,
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="The table is a ledger: rows carry their page, and a closed one takes none.",
        spec_url="https://example.com/specification/ledger",
        requires={"domainMetadata"},
        trigger=PropertyIsTrue(KEEP),
        upgrades_existing_table=True,
        removal=Removal(drops_properties=(KEEP, PAGE, CLOSED, COLUMN)),
        behaviour=Ledger(),
        support=Support(read=SAFE),
        traces=LogTraces(domains=(BOOK,), file_tags=(TAG,)),
        owned_properties={PAGE, CLOSED, COLUMN},
    )
