"""The protocol that a change of properties comes to, found from metadata alone as a commit would find it."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.resolution.resolve import resolve_upgrade
from deltaresolver.transaction.metadata.update import MetadataUpdate

NO_SESSION: Mapping[str, str] = {}


def announce_upgrade(before: Metadata, after: Metadata, protocol: Protocol, catalog: FeatureCatalog) -> Resolution:
    """As `resolve_upgrade` for a table whose metadata becomes `after`, with what its features then add and refuse.

    What only the table's files or its log can tell is not looked at. Raises as `resolve_upgrade`, what the features
    raise, and `SchemaRuleError`.
    """
    resolution = resolve_upgrade(after, protocol, catalog)
    supported = prepare(catalog).supported(protocol)
    update = MetadataUpdate(TableState(0, protocol, before, supported), catalog, NO_SESSION, new_id=lambda: "id")
    announced = update.stage(after).protocol
    return attrs.evolve(resolution, protocol=announced, features=prepare(catalog).supported(announced))
