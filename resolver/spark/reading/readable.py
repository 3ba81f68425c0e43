"""Whether this library reads a table, and if not, why and who does."""

from __future__ import annotations

from deltaresolver.errors import ReadUnsupportedError
from deltaresolver.log.snapshot import Snapshot

READER_VERSIONS = frozenset({1, 2, 3})
READ_FEATURES = frozenset(
    {
        "columnMapping",
        "deletionVectors",
        "timestampNtz",
        "typeWidening",
        "typeWidening-preview",
        "v2Checkpoint",
        "vacuumProtocolCheck",
        "variantType",
        "variantType-preview",
        "variantShredding",
        "variantShredding-preview",
    }
)


def ensure_readable(snapshot: Snapshot) -> None:
    protocol = snapshot.protocol
    missing = (protocol.reader_features or frozenset()) - READ_FEATURES
    if missing or protocol.min_reader_version not in READER_VERSIONS:
        raise ReadUnsupportedError("no")
