"""vacuumProtocolCheck: VACUUM must check the whole protocol before it deletes files.

It exists because old clients checked only the reader side and could delete files still needed.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare vacuumProtocolCheck."""
    return TableFeature(
        name="vacuumProtocolCheck",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="VACUUM checks the protocol before it deletes anything.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#vacuum-protocol-check",
        aborts_concurrent_writers=False,
        removal=Removal(protects_history=True),
        support=Support(read=SAFE),
    )
