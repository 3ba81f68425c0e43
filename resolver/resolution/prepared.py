"""A catalog made ready for resolving: everything that can be computed once per catalog is computed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.protocol import (
    NO_FEATURES,
    READER_VERSION_WITH_FEATURE_LIST,
    WRITER_VERSION_WITH_FEATURE_LIST,
    Protocol,
)
from deltaresolver.resolution.graph import dependency_closures
from deltaresolver.resolution.trigger_index import TriggerIndex


@attrs.frozen(slots=True, eq=False, repr=False)
class PreparedCatalog:
    """A catalog with its dependency closures, implied sets, versions and trigger index.

    `waiting` are the features whose trigger may not add them to an existing table.
    """

    catalog: FeatureCatalog
    closures: Mapping[str, frozenset[str]]
    names: frozenset[str]
    spellings: Mapping[str, str]
    reader_features: frozenset[str]
    legacy_features: frozenset[str]
    waiting: frozenset[str]
    reader_versions: Mapping[str, int]
    writer_versions: Mapping[str, int]
    implied: Mapping[tuple[int, int], frozenset[str]]
    triggers: TriggerIndex

    def known(self, names: frozenset[str]) -> frozenset[str]:
        """Those of `names` that are in the catalog, as it spells them; a protocol may spell them in any case."""
        if names <= self.names:
            return names
        spellings = self.spellings
        return frozenset(spellings[lowered] for name in names if (lowered := name.lower()) in spellings)

    def closure(self, names: Iterable[str]) -> frozenset[str]:
        """The smallest set that holds `names` and everything its members require."""
        closures = self.closures
        return NO_FEATURES.union(*[closures[name] for name in names])

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

    def minimum_versions(self, names: Iterable[str]) -> tuple[int, int]:
        """The least reader and writer version, at least 1, that can carry all of `names`."""
        names = tuple(names)
        return (
            max(map(self.reader_versions.__getitem__, names), default=0) or 1,
            max(map(self.writer_versions.__getitem__, names), default=1),
        )

    def lowest_protocol(self, names: frozenset[str]) -> Protocol:
        """The lowest protocol that supports exactly `names`.

        A legacy pair when one implies precisely that set, else the list form with the reader version as
        low as its features allow.
        """
        reader_version, writer_version = self.minimum_versions(names)
        if writer_version < WRITER_VERSION_WITH_FEATURE_LIST and self.implied[reader_version, writer_version] == names:
            return Protocol(reader_version, writer_version)
        if reader_version >= READER_VERSION_WITH_FEATURE_LIST:
            return Protocol(reader_version, WRITER_VERSION_WITH_FEATURE_LIST, names & self.reader_features, names)
        return Protocol(reader_version, WRITER_VERSION_WITH_FEATURE_LIST, None, names)


_PREPARED = "_prepared"


def prepare(catalog: FeatureCatalog) -> PreparedCatalog:
    """The prepared form of a catalog, made once and kept on the catalog.

    It is asked for several times in every resolution, which a cache keyed by the catalog's hash would notice.
    """
    kept = catalog.__dict__
    if _PREPARED not in kept:
        kept[_PREPARED] = _prepare(catalog)
    prepared: PreparedCatalog = kept[_PREPARED]
    return prepared


def _prepare(catalog: FeatureCatalog) -> PreparedCatalog:
    features = catalog.features
    legacy = [feature for feature in features if feature.is_legacy]
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
        reader_versions={feature.name: feature.min_reader_version for feature in features},
        writer_versions={feature.name: feature.min_writer_version for feature in features},
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
    )
