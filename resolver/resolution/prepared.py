"""A catalog made ready for resolving: everything that can be computed once per catalog is computed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.protocol import (
    NO_FEATURES,
    READER_VERSION_WITH_FEATURE_LIST,
    WRITER_VERSION_WITH_FEATURE_LIST,
    Protocol,
)
from deltaresolver.resolution.graph import dependency_closures
from deltaresolver.resolution.trigger_index import TriggerIndex

NeededBy = tuple[tuple[int, frozenset[str]], ...]
"""Versions, the highest first, each with the features that need it."""


@attrs.frozen(slots=True, eq=False, repr=False)
class PreparedCatalog:
    """A catalog with its dependency closures, implied sets, versions and trigger index.

    `waiting` are the features whose trigger may not add them to an existing table, `requiring` those that require
    others, `restricting` those that restrict what else a table may have. `needing_reader` and `needing_writer` hold
    the features that need a version, the highest version first.
    """

    catalog: FeatureCatalog
    closures: Mapping[str, frozenset[str]]
    names: frozenset[str]
    spellings: Mapping[str, str]
    reader_features: frozenset[str]
    legacy_features: frozenset[str]
    waiting: frozenset[str]
    requiring: frozenset[str]
    reader_versions: Mapping[str, int]
    writer_versions: Mapping[str, int]
    needing_reader: NeededBy
    needing_writer: NeededBy
    implied: Mapping[tuple[int, int], frozenset[str]]
    triggers: TriggerIndex
    restricting: tuple[TableFeature, ...] = ()

    def known(self, names: frozenset[str]) -> frozenset[str]:
        """Those of `names` that are in the catalog, as it spells them; a protocol may spell them in any case."""
        if names <= self.names:
            return names
        spellings = self.spellings
        return frozenset(spellings[lowered] for name in names if (lowered := name.lower()) in spellings)

    def closure(self, names: Iterable[str]) -> frozenset[str]:
        """The smallest set that holds `names` and everything its members require."""
        closed = frozenset(names)
        if self.requiring.isdisjoint(closed):
            return closed
        return closed.union(*map(self.closures.__getitem__, closed & self.requiring))

    def implied_by(self, reader_version: int, writer_version: int) -> frozenset[str]:
        """The features that a protocol of these versions supports without naming them."""
        if writer_version >= WRITER_VERSION_WITH_FEATURE_LIST:
            return NO_FEATURES
        return self.implied.get((reader_version, writer_version), NO_FEATURES)

    def supported(self, protocol: Protocol) -> frozenset[str]:
        """Every known feature a protocol supports, named or implied."""
        if protocol.writer_features is None:
            return self.implied_by(protocol.min_reader_version, protocol.min_writer_version)
        return self.known(protocol.listed_features)

    def minimum_versions(self, names: frozenset[str]) -> tuple[int, int]:
        """The least reader and writer version, at least 1, that can carry all of `names`."""
        return _needed(names, self.needing_reader) or 1, _needed(names, self.needing_writer) or 1

    def lowest_protocol(self, names: frozenset[str]) -> Protocol:
        """The lowest protocol that supports exactly `names`.

        A legacy pair when one implies precisely that set, else the list form with the reader version as
        low as its features allow.
        """
        reader_version, writer_version = self.minimum_versions(names)
        if writer_version < WRITER_VERSION_WITH_FEATURE_LIST and self.implied[reader_version, writer_version] == names:
            return Protocol(reader_version, writer_version)
        writer_version = max(writer_version, WRITER_VERSION_WITH_FEATURE_LIST)  # or one that is still to come
        if reader_version >= READER_VERSION_WITH_FEATURE_LIST:
            return Protocol(reader_version, writer_version, names & self.reader_features, names)
        return Protocol(reader_version, writer_version, None, names)


def _needed(names: frozenset[str], needed_by: NeededBy) -> int:
    for version, features in needed_by:
        if not features.isdisjoint(names):
            return version
    return 0


def prepare(catalog: FeatureCatalog) -> PreparedCatalog:
    """The prepared form of a catalog, made once and kept on the catalog.

    It is asked for several times in every resolution, which a cache keyed by the catalog's hash would notice.
    """
    return catalog.derived(_prepare)


def _prepare(catalog: FeatureCatalog) -> PreparedCatalog:
    features = catalog.features
    legacy = [feature for feature in features if feature.is_legacy]
    reader_versions = {feature.name: feature.min_reader_version for feature in features}
    writer_versions = {feature.name: feature.min_writer_version for feature in features}
    return PreparedCatalog(
        catalog=catalog,
        closures=dependency_closures(features),
        names=catalog.names,
        spellings={feature.name.lower(): feature.name for feature in features},
        reader_features=frozenset(feature.name for feature in features if feature.is_reader_feature),
        legacy_features=frozenset(feature.name for feature in legacy),
        waiting=frozenset(
            feature.name for feature in features if feature.trigger is not None and not feature.upgrades_existing_table
        ),
        requiring=frozenset(feature.name for feature in features if feature.requires),
        reader_versions=reader_versions,
        writer_versions=writer_versions,
        needing_reader=_needed_by(reader_versions),
        needing_writer=_needed_by(writer_versions),
        implied={
            (reader_version, writer_version): frozenset(
                feature.name
                for feature in legacy
                if feature.min_reader_version <= reader_version and feature.min_writer_version <= writer_version
            )
            for reader_version in range(READER_VERSION_WITH_FEATURE_LIST)
            for writer_version in range(WRITER_VERSION_WITH_FEATURE_LIST)
        },
        triggers=TriggerIndex.of(features),
        restricting=tuple(feature for feature in features if feature.has_relations),
    )


def _needed_by(versions: Mapping[str, int]) -> NeededBy:
    return tuple(
        (version, frozenset(name for name, needed in versions.items() if needed == version))
        for version in sorted({*versions.values()} - {0}, reverse=True)
    )
