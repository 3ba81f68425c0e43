"""What one client can read and write: knowing a feature is not the same as implementing it."""

from __future__ import annotations

import attrs

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.protocol import (
    NO_FEATURES,
    READER_VERSION_WITH_FEATURE_LIST,
    WRITER_VERSION_WITH_FEATURE_LIST,
    Protocol,
)
from deltaresolver.model.support import Task
from deltaresolver.resolution.prepared import prepare


@attrs.frozen(slots=True)
class Capability:
    """The versions and features that a client implements, for reading and for writing."""

    reader_versions: frozenset[int]
    writer_versions: frozenset[int]
    read_features: frozenset[str]
    write_features: frozenset[str]
    catalog: FeatureCatalog | None = attrs.field(default=None, eq=False, repr=False)
    """What knows more of features that are missing, for messages."""

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
    def of_support(cls, catalog: FeatureCatalog) -> Capability:
        """What this library does itself, as the features of a catalog state it: it is the client of a transaction.

        A transaction reads the log and no rows, so a feature does not keep it from reading a table that it may
        write. Versions of protocols to come are known to a catalog as soon as a feature names them, but not here.
        """
        return catalog.derived(_of_support)

    def can_read(self, protocol: Protocol) -> bool:
        """Whether the client may read a table with this protocol."""
        return protocol.min_reader_version in self.reader_versions and not self.missing_to_read(protocol)

    def can_write(self, protocol: Protocol) -> bool:
        """Whether the client may write a table with this protocol, reading aside."""
        return protocol.min_writer_version in self.writer_versions and not self.missing_to_write(protocol)

    def why_missing(self, features: frozenset[str]) -> str:
        """Which packages would bring missing features, as a sentence; empty where nobody is known."""
        return "" if self.catalog is None else self.catalog.why_absent(features)

    def missing_to_read(self, protocol: Protocol) -> frozenset[str]:
        """The features listed for readers that the client does not implement."""
        return (protocol.reader_features or NO_FEATURES) - self.read_features

    def missing_to_write(self, protocol: Protocol) -> frozenset[str]:
        """The features listed for writers that the client does not implement."""
        return (protocol.writer_features or NO_FEATURES) - self.write_features


READER_VERSIONS = frozenset(range(1, READER_VERSION_WITH_FEATURE_LIST + 1))
WRITER_VERSIONS = frozenset(range(1, WRITER_VERSION_WITH_FEATURE_LIST + 1))


def _of_support(catalog: FeatureCatalog) -> Capability:
    everything = Capability.of_catalog(catalog)
    support = {feature.name: feature.support for feature in catalog}
    written = frozenset(name for name, stated in support.items() if not stated.is_refused(Task.WRITE))
    read = frozenset(name for name, stated in support.items() if not stated.is_refused(Task.READ))
    return Capability(
        everything.reader_versions & READER_VERSIONS,
        everything.writer_versions & WRITER_VERSIONS,
        everything.read_features & (read | written),
        written,
        catalog,
    )
