"""enabled-not-supported: the metadata uses a feature that the protocol does not name."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.scan.feature_uses import to_be_added
from deltaresolver.errors import InvalidInputError
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.view import TableView
from deltaresolver.plugins import hookimpl
from deltaresolver.resolution.prepared import prepare


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each feature."""
    if table.protocol is None or table.metadata is None:
        return
    prepared = prepare(table.catalog)
    supported = prepared.supported(table.protocol)
    view = TableView(table.metadata, supported)
    try:
        enabled = prepared.triggers.enabled(view)
    except InvalidInputError:
        return  # said by the rule about unreadable tables
    names = {one.split("-", 1)[0] for one in supported}
    for name in sorted(enabled - supported):
        if name.split("-", 1)[0] in names:
            continue
        message = f"The metadata uses {name}, which the protocol does not support, so clients may ignore it."
        yield to_be_added(table, name, message)


@hookimpl
def audit_rules() -> AuditRule:
    """Declare enabled-not-supported."""
    return AuditRule(
        name="enabled-not-supported",
        severity=Severity.ERROR,
        title="The metadata uses a feature that the protocol does not support",
        remedy="Add the feature to the protocol, or stop using it.",
        check=check,
    )
