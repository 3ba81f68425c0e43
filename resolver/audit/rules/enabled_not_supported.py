"""enabled-not-supported: the metadata uses a feature that the protocol does not name."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.errors import InvalidInputError
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.catalog import FeatureCatalog, Memo
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.view import TableView
from deltaresolver.plugins import hookimpl
from deltaresolver.resolution.prepared import prepare


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each feature."""
    if table.protocol is None or table.metadata is None:
        return
    rules = table.metadata.for_rules
    known, key = table.catalog.derived(_nothing_found_yet), None if rules is None else (rules, table.protocol)
    found = known.find(key)
    if found is None:
        found = known.keep(key, tuple(_not_supported(table.protocol, table.metadata, table.catalog)))
    for name in found:
        # No command: adding the feature makes rules binding that writers have ignored. The owner has to decide that.
        yield Observation(
            f"The metadata uses {name}, which the protocol does not support, so clients may ignore it.",
            f"Remove what uses {name} from the metadata; or add {name} to the protocol, which changes what the table "
            f"does: clients that ignored it so far enforce it from then on.",
            details={"features": [name]},
        )


def _nothing_found_yet(_: FeatureCatalog) -> Memo[tuple[str, ...]]:
    return Memo()


def _not_supported(protocol: Protocol, metadata: Metadata, catalog: FeatureCatalog) -> Iterator[str]:
    """The names of the features; cached for tables that are equal to every trigger."""
    prepared = prepare(catalog)
    supported = prepared.supported(protocol)
    try:
        enabled = prepared.triggers.enabled(TableView(metadata, supported))
    except InvalidInputError:
        return  # the rule about unreadable tables reports it
    names = {one.split("-", 1)[0] for one in supported}
    for name in sorted(enabled - supported):
        if name.split("-", 1)[0] not in names:
            yield name


@hookimpl
def audit_rules() -> AuditRule:
    """Declare enabled-not-supported."""
    return AuditRule(
        name="enabled-not-supported",
        severity=Severity.ERROR,
        title="The metadata uses a feature that the protocol does not support",
        remedy="Stop using the feature, or add it to the protocol, which puts it into force.",
        check=check,
    )
