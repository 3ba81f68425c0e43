"""A protocol raised to versions that somebody asks for."""

from __future__ import annotations

from deltaresolver.errors import ProtocolDowngradeError
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import can_upgrade_to
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.starter import TransactionStarter


def upgrade_protocol(starter: TransactionStarter, reader_version: int, writer_version: int) -> int | None:
    """Commit the protocol of these versions; None where it is the table's already.

    Raises `ProtocolDowngradeError` where it supports less than the table's, and `ProtocolUnsupportedError`.
    """
    transaction = starter.start()
    asked = Protocol.of(reader_version, writer_version)
    if asked == transaction.protocol:
        return None
    if not can_upgrade_to(transaction.protocol, asked, starter.catalog):
        raise ProtocolDowngradeError(
            f"Protocol version cannot be downgraded from {transaction.protocol} to {asked}.",
            fix="Add features with addFeatureSupport, and drop them with dropFeatureSupport.",
            details={"before": transaction.protocol.to_json(), "asked": asked.to_json()},
        )
    return transaction.commit([asked], operations.upgrade_protocol(asked.to_json()))
