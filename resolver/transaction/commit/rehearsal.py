"""Whether a table takes commits at all, tried in memory: nothing is read or written."""

from __future__ import annotations

from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.resolution.capability import Capability
from deltaresolver.transaction.commit.prepare import Preparation
from deltaresolver.transaction.conflicts.read_scope import ReadScope
from deltaresolver.transaction.metadata.update import MetadataUpdate
from deltaresolver.transaction.operation import operation
from deltaresolver.transaction.settings import TransactionSettings

_NOBODY = "00000000-0000-0000-0000-000000000000"


def ensure_takes_commits(table: TableState, catalog: FeatureCatalog) -> None:
    """Raise what forbids a commit that changes nothing. Policies are not asked, which judge a change and not a table."""
    Preparation(
        before=table,
        catalog=catalog,
        client=Capability.of_support(catalog),
        update=_update(table, catalog),
        scope=ReadScope(),
        staged_metadata=None,
        staged_protocol=None,
        now_ms=0,
        engine_info="",
        transaction_id=_NOBODY,
        settings=TransactionSettings(),
    ).prepare((), operation("EMPTY"), {})


def ensure_takes_metadata(table: TableState, catalog: FeatureCatalog) -> None:
    """Raise what forbids a commit of the metadata that the table has, and so every change that leaves it as it is."""
    _update(table, catalog).stage(table.metadata)


def _update(table: TableState, catalog: FeatureCatalog) -> MetadataUpdate:
    return MetadataUpdate(table, catalog, {}, lambda: _NOBODY)
