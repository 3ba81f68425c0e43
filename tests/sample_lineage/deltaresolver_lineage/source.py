"""lineageSource: every file names the source of its rows, and writers of one source come one after the other.

The source is the session property `lineage.source`, else the table property of that name. How many commits each source
has made is kept in a metadata domain.
"""

import json
from collections.abc import Mapping, Sequence

import attrs

from deltaresolver.actions import Action, AddFile, DomainMetadata, Operation
from deltaresolver.errors import PropertyInvalidError
from deltaresolver.plugin import (
    SAFE,
    ClientFact,
    Draft,
    FeatureBehaviour,
    FeatureKind,
    LogTraces,
    Metadata,
    MetadataChange,
    PreparatoryCommit,
    PropertyIsTrue,
    RemainingTable,
    Removal,
    RowCondition,
    Support,
    TableFeature,
    Winner,
    hookimpl,
)
from deltaresolver_lineage.conflict import PAGE, SourceBusyError

TRACK, SOURCE, LINEAGE_ID, POSITIVE = "lineage.track", "lineage.source", "lineage.id", "lineage.positiveColumn"
DOMAIN, TAG = "lineage.sources", "lineage.source"
CLEANUP = "LINEAGE CLEANUP"


def source_of(draft: Draft) -> str:
    """The source that a commit's rows came from."""
    return draft.session.get(SOURCE) or draft.metadata.configuration.get(SOURCE, "unknown")


def counts_of(domains: Mapping[str, DomainMetadata]) -> dict[str, int]:
    """How many commits each source has made."""
    domain = domains.get(DOMAIN)
    return {} if domain is None or domain.removed else dict(json.loads(domain.configuration))


class Lineage(FeatureBehaviour):
    """Tags files, counts commits by source, and settles conflicts by source."""

    own_domains = frozenset({DOMAIN})
    domains_ended_by_replace = frozenset({DOMAIN})

    def amend_metadata(self, change: MetadataChange) -> Metadata:
        """A table whose lineage is tracked has an id for it."""
        properties = change.metadata.configuration
        if properties.get(TRACK) != "true" or LINEAGE_ID in properties:
            return change.metadata
        return change.metadata.with_configuration({**properties, LINEAGE_ID: change.new_id()})

    def check_metadata(self, change: MetadataChange) -> None:
        """The source has a name."""
        if change.metadata.configuration.get(SOURCE, "unknown") == "":
            raise PropertyInvalidError(f"{SOURCE} is empty.", fix=f"Name the source, or unset {SOURCE}.")

    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        """The column that the table names for it holds positive numbers."""
        column = metadata.configuration.get(POSITIVE)
        if column is None:
            return ()
        return (RowCondition("lineage positive", f"`{column}` > 0", ((column,),)),)

    def amend_draft(self, draft: Draft) -> Draft:
        """New files carry their source, and the count of the source goes up."""
        source = source_of(draft)
        actions = [_tagged(one, source) if isinstance(one, AddFile) else one for one in draft.actions]
        if not any(isinstance(one, AddFile) and one.data_change for one in actions):
            return draft.with_actions(actions)
        counted = _counted(draft, counts_of(draft.before.domains), source)
        return draft.with_actions([*actions, counted]).with_tag(TAG, source)

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """Counts go on from the winner's. Raises `SourceBusyError` where it wrote rows of the same source."""
        mine = [one for one in draft.actions if isinstance(one, DomainMetadata) and one.domain == DOMAIN]
        theirs = [one for one in winner.domains if one.domain == DOMAIN and not one.removed]
        if not mine or not theirs:
            return draft
        source = source_of(draft)
        if winner.tags.get(TAG) == source:
            raise SourceBusyError(
                f"Version {winner.table_version} has rows of {source}, too.",
                fix=f"Read version {winner.table_version}, and write again.",
                details={"source": source, "version": winner.table_version},
            )
        others = [one for one in draft.actions if one not in mine]
        return draft.with_actions([*others, _counted(draft, counts_of({DOMAIN: theirs[-1]}), source)])

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """The counts go first."""
        domain = table.domains().get(DOMAIN)
        if domain is None:
            return None
        return PreparatoryCommit(Operation(CLEANUP, {}), actions=(attrs.evolve(domain, removed=True),))

    def find_trace(self, table: RemainingTable) -> str | None:
        """The counts."""
        return f"there is metadata in the domain {DOMAIN}" if DOMAIN in table.domains() else None

    def is_trace(self, action: Action) -> bool:
        """Counts that were written."""
        return isinstance(action, DomainMetadata) and action.domain == DOMAIN and not action.removed


def _tagged(file: AddFile, source: str) -> AddFile:
    return file if TAG in (file.tags or {}) else attrs.evolve(file, tags={**(file.tags or {}), TAG: source})


def _counted(draft: Draft, counts: dict[str, int], source: str) -> DomainMetadata:
    counts[source] = counts.get(source, 0) + 1
    return DomainMetadata(DOMAIN, json.dumps(counts, sort_keys=True), removed=False)


@hookimpl
def table_feature() -> TableFeature:
    """Declare lineageSource."""
    return TableFeature(
        name="lineageSource",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="Every file names the source that its rows came from.",
        spec_url="https://example.com/specification/lineage",
        requires={"sampleChangeApproval", "domainMetadata"},
        not_supported_with={"icebergCompatV1"},
        trigger=PropertyIsTrue(TRACK),
        upgrades_existing_table=True,
        removal=Removal(drops_properties=(TRACK, SOURCE, LINEAGE_ID, POSITIVE)),
        behaviour=Lineage(),
        support=Support(read=SAFE),
        traces=LogTraces(domains=(DOMAIN,), file_tags=(TAG,)),
        owned_properties={SOURCE, LINEAGE_ID, POSITIVE},
        clients=(ClientFact("trino", reads="482", writes="never", source="https://example.com/trino"),),
        error_pages={"LINEAGE01": PAGE},
    )
