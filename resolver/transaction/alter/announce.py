"""The protocol that a change of properties results in, found from metadata alone as a commit would find it."""

from __future__ import annotations

import itertools
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
    return announce_change(before, after, protocol, catalog)[0]


def announce_change(
    before: Metadata, after: Metadata, protocol: Protocol, catalog: FeatureCatalog
) -> tuple[Resolution, Metadata]:
    """As `announce_upgrade`, with the metadata that its features make of `after`: names of columns are stand-ins."""
    resolution = resolve_upgrade(after, protocol, catalog, before=before)
    supported = prepare(catalog).supported(protocol)
    numbers = itertools.count()
    update = MetadataUpdate(
        TableState(0, protocol, before, supported), catalog, NO_SESSION, new_id=lambda: f"id{next(numbers)}"
    )
    staged = update.stage(after)
    features = prepare(catalog).supported(staged.protocol)
    return attrs.evolve(resolution, protocol=staged.protocol, features=features), staged.metadata
