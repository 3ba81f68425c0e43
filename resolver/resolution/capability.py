"""What one client can read and write: knowing a feature is not the same as implementing it."""

from __future__ import annotations

from functools import lru_cache

import attrs

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import Maturity
from deltaresolver.model.protocol import NO_FEATURES, Protocol
from deltaresolver.resolution.prepared import prepare


@attrs.frozen(slots=True)
class Capability:
    """The versions and features that a client implements, for reading and for writing."""

    reader_versions: frozenset[int]
    writer_versions: frozenset[int]
    read_features: frozenset[str]
    write_features: frozenset[str]

    @classmethod
    def of_catalog(cls, catalog: FeatureCatalog) -> Capability:
        """A client that implements every feature of a catalog, with each version some feature asks for, and 1."""
        prepared = prepare(catalog)
        return cls(
            frozenset(prepared.reader_versions.values()) - {0} | {1},
            frozenset(prepared.writer_versions.values()) - {0} | {1},
            prepared.reader_features,
            prepared.names,
        )

    @classmethod
    def of_library(cls, catalog: FeatureCatalog) -> Capability:
        """What this library implements of a catalog: a feature that is only proposed is known, not implemented."""
        return _of_library(catalog)

    def can_read(self, protocol: Protocol) -> bool:
        """Whether the client may read a table with this protocol."""
        return protocol.min_reader_version in self.reader_versions and not self.missing_to_read(protocol)

    def can_write(self, protocol: Protocol) -> bool:
        """Whether the client may write a table with this protocol, reading aside."""
        return protocol.min_writer_version in self.writer_versions and not self.missing_to_write(protocol)

    def missing_to_read(self, protocol: Protocol) -> frozenset[str]:
        """The features listed for readers that the client does not implement."""
        return (protocol.reader_features or NO_FEATURES) - self.read_features

    def missing_to_write(self, protocol: Protocol) -> frozenset[str]:
        """The features listed for writers that the client does not implement."""
        return (protocol.writer_features or NO_FEATURES) - self.write_features


@lru_cache(maxsize=32)
def _of_library(catalog: FeatureCatalog) -> Capability:
    everything = Capability.of_catalog(catalog)
    proposed = {feature.name for feature in catalog if feature.maturity is Maturity.PROPOSED}
    return attrs.evolve(
        everything,
        read_features=everything.read_features - proposed,
        write_features=everything.write_features - proposed,
    )
