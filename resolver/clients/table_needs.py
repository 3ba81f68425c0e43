"""The demands of one table on clients; every verdict is computed from them.

A demand is a short text. Demands do not depend on who wrote a table or on its name, so what was measured on one
table holds for every table with the same demands.

    reader:2, writer:1 .. writer:7      a legacy version, or writer 7; a legacy writer version implies all lower ones
    reads:X, writes:X                   feature X is listed for readers, for writers
    uses:X                              X is in use: the metadata enables it, or the table has traces of it
    anything else                       a detail that has made real clients fail, see `DETAILS`
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import attrs

from deltaresolver.clients.schema_details import features_held, only_by_form, schema_details
from deltaresolver.clients.table_facts import NOTHING_KNOWN, CheckpointForm, TableFacts
from deltaresolver.defaults import default_catalog
from deltaresolver.model.catalog import FeatureCatalog, Memo
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.view import TableView
from deltaresolver.resolution.prepared import PreparedCatalog, prepare

READS, WRITES, USES = "reads:", "writes:", "uses:"

DETAILS = {
    "column mapping by id": "columns are found by field id",
    "column mapping upgraded": "columns keep the names they had before mapping, so files carry no field ids",
    "column mapping dropped column": "files hold a column that was dropped",
    "deletion vectors present": "files have rows marked deleted",
    "change files present": "the log names change data files",
    "v2 checkpoint present": "a checkpoint in the V2 form exists",
    "v2 checkpoint in parquet": "its top level is a Parquet file",
    "checkpoint needed": "commits before the checkpoint were removed, so it must be read",
    "domain metadata present": "the log holds domain metadata",
    "structured field metadata": "a column's metadata holds an object or a list",
    "column widened": "a column's type was widened after files were written",
    "column widened beyond int": "to something other than a short or an integer",
    "not null column": "a column forbids nulls",
    "partitioned": "the table is partitioned",
    "partition columns in files": "data files hold the partition columns too",
    "feature without its dependency": "a feature is listed without one it depends on",
}
"""Details beside versions and features, each with what it means."""


@attrs.frozen(slots=True, cache_hash=True)
class TableNeeds:
    """The demands of a table. Equal needs get equal verdicts, so they are the keys of remembered verdicts."""

    demands: frozenset[str]

    @classmethod
    def of(
        cls,
        protocol: Protocol,
        metadata: Metadata,
        facts: TableFacts = NOTHING_KNOWN,
        catalog: FeatureCatalog | None = None,
        view: TableView | None = None,
    ) -> TableNeeds:
        """The needs of one table; `catalog` is the default one unless given.

        `view` is that of the metadata alone, for callers that have looked through it already. Raises
        `InvalidInputError` if the schema or a property cannot be read.
        """
        catalog = default_catalog() if catalog is None else catalog
        known = catalog.derived(_no_needs_yet)
        # Of the metadata only what rules see, and the partitioning, makes a difference here.
        rules = metadata.for_rules
        key = None if rules is None else (rules, protocol, metadata.partition_columns, facts)
        return known.find(key) or known.keep(key, cls._asked(protocol, metadata, facts, catalog, view))

    @classmethod
    def _asked(
        cls, protocol: Protocol, metadata: Metadata, facts: TableFacts, catalog: FeatureCatalog, view: TableView | None
    ) -> TableNeeds:
        prepared = prepare(catalog)
        supported = prepared.supported(protocol) | protocol.listed_features
        # Without `supported`, since some triggers do not fire where the preview form is supported.
        view = TableView(metadata) if view is None else view
        plain = {final_name(feature) for feature in supported}
        enabled = prepared.triggers.enabled(view).union(features_held(view))
        uses = (frozenset(map(final_name, enabled)) & plain) - only_by_form(view)
        demands = {
            *_from_versions(protocol),
            *_from_lists(protocol),
            *(USES + feature for feature in uses),
            *schema_details(view),
            *_from_facts(facts, supported, uses),
            *_from_domains(facts.domains, supported, prepared.catalog),
            *_from_dependencies(protocol, supported, prepared),
            *_from_partitions(metadata, facts),
        }
        return cls(frozenset(demands))

    @property
    def features(self) -> frozenset[str]:
        """The features named anywhere in the demands."""
        return frozenset(name for name in map(feature_of, self.demands) if name is not None)

    def __le__(self, other: TableNeeds) -> bool:
        return self.demands <= other.demands


def _no_needs_yet(_: FeatureCatalog) -> Memo[TableNeeds]:
    return Memo()


@lru_cache(maxsize=4096)
def feature_of(demand: str) -> str | None:
    """The feature a demand is about; None for versions and for details no feature owns."""
    prefix, _, name = demand.partition(":")
    return name if f"{prefix}:" in (READS, WRITES, USES) else _DETAIL_FEATURES.get(demand)


def final_name(feature: str) -> str:
    """The name under which a preview of the feature became final."""
    return feature.removesuffix("-preview").removesuffix("-dev")


def for_writers(demand: str) -> bool:
    """Whether by the protocol only writers must meet this demand."""
    return demand.startswith(("writer:", WRITES))


@lru_cache(maxsize=65_536)
def in_order(demands: frozenset[str]) -> tuple[str, ...]:
    """The demands, always in the same order."""
    return tuple(sorted(demands))


_DETAIL_FEATURES = {
    "column mapping by id": "columnMapping",
    "column mapping upgraded": "columnMapping",
    "column mapping dropped column": "columnMapping",
    "deletion vectors present": "deletionVectors",
    "change files present": "changeDataFeed",
    "v2 checkpoint present": "v2Checkpoint",
    "v2 checkpoint in parquet": "v2Checkpoint",
    "domain metadata present": "domainMetadata",
    "column widened": "typeWidening",
    "column widened beyond int": "typeWidening",
}


def _from_versions(protocol: Protocol) -> Iterable[str]:
    if protocol.min_reader_version > 1:
        yield f"reader:{protocol.min_reader_version}"
    if protocol.lists_writer_features:
        yield f"writer:{protocol.min_writer_version}"
    else:
        yield from (f"writer:{version}" for version in range(2, protocol.min_writer_version + 1))


def _from_lists(protocol: Protocol) -> Iterable[str]:
    yield from (READS + feature for feature in protocol.reader_feature_names)
    yield from (WRITES + feature for feature in protocol.writer_feature_names)


def _from_dependencies(protocol: Protocol, supported: frozenset[str], prepared: PreparedCatalog) -> Iterable[str]:
    known = prepared.known(protocol.listed_features)
    if not prepared.closure(known) <= supported:
        yield "feature without its dependency"


def _from_facts(facts: TableFacts, supported: frozenset[str], uses: frozenset[str]) -> Iterable[str]:
    """The demands from facts; an unknown fact counts as true where the metadata allows it."""
    if "deletionVectors" in supported and _known_or(facts.deletion_vectors, "deletionVectors" in uses):
        yield "deletion vectors present"
    if "changeDataFeed" in supported and _known_or(facts.change_files, "changeDataFeed" in uses):
        yield "change files present"
    if facts.checkpoint is None:
        kind = CheckpointForm.V2_JSON if "v2Checkpoint" in uses else CheckpointForm.NONE
    else:
        kind = facts.checkpoint
    if kind.is_v2:
        yield "v2 checkpoint present"
        if kind is CheckpointForm.V2_PARQUET:
            yield "v2 checkpoint in parquet"
    if _known_or(facts.commits_cleaned, kind.is_v2 and facts.checkpoint is None) and kind is not CheckpointForm.NONE:
        yield "checkpoint needed"


def _from_partitions(metadata: Metadata, facts: TableFacts) -> Iterable[str]:
    # Any writer may have written them, whatever the protocol names; only the files show it.
    if metadata.partition_columns and _known_or(facts.partition_columns, True):
        yield "partition columns in files"


def _from_domains(domains: frozenset[str] | None, supported: frozenset[str], catalog: FeatureCatalog) -> Iterable[str]:
    keeping = [one for one in catalog.derived(_keeping_domains) if one.name in supported]
    if domains is None:
        domains = frozenset(domain for feature in keeping for domain in feature.traces.domains)
    if domains:
        yield "domain metadata present"
    for feature in keeping:
        # Where metadata enables a feature, metadata alone decides.
        if feature.trigger is None and not domains.isdisjoint(feature.traces.domains):
            yield USES + feature.name


def _keeping_domains(catalog: FeatureCatalog) -> tuple[TableFeature, ...]:
    return tuple(feature for feature in catalog if feature.traces.domains)


def _known_or(fact: bool | None, assumed: bool) -> bool:
    return assumed if fact is None else fact
