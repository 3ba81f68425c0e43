"""The metadata that a transaction is going to commit, and the protocol it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.instructions import features_asked_for, is_instruction
from deltaresolver.transaction.metadata.update import MetadataUpdate


class Staging:
    """What was staged so far; nothing at first. How metadata is understood is set before it is staged."""

    def __init__(
        self,
        before: TableState,
        catalog: FeatureCatalog,
        session: Mapping[str, str],
        new_id: Callable[[], str],
        *,
        may_downgrade: bool,
    ) -> None:
        self.metadata: Metadata | None = None
        self.protocol: Protocol | None = None
        """None where the table keeps the protocol it has."""
        self.asked: frozenset[str] = frozenset()
        """The keys by which the staged properties asked for features or versions."""
        self.is_new_table = before.is_new
        """Whether the table is created, or replaced as if it were."""
        self.keeps_column_ids = False
        self.takes_defaults = True
        """Whether the session's defaults are added."""
        self.follows_data = False
        """Whether it was staged once data was written, for what only the data could tell."""
        self._before = before
        self._catalog = catalog
        self._session = session
        self._new_id = new_id
        self._may_downgrade = may_downgrade

    @property
    def update(self) -> MetadataUpdate:
        """The rules by which metadata is staged."""
        return MetadataUpdate(
            self._before,
            self._catalog,
            self._session,
            self._new_id,
            self.is_new_table,
            self.keeps_column_ids,
            self._may_downgrade,
            self.takes_defaults,
        )

    def stage(self, metadata: Metadata) -> None:
        """Take this metadata, as the features amend it. Raises what the resolver and the features raise."""
        staged = self.update.stage(metadata)
        self.asked = frozenset(key for key in metadata.configuration if is_instruction(key))
        self.metadata = staged.metadata
        before = self._before.protocol
        # A feature asked for that the versions only imply: history shows that it was asked for, as in delta-spark.
        is_implied = not features_asked_for(metadata.configuration, self._catalog).keys() <= before.listed_features
        if staged.protocol != before or self._before.is_new or is_implied:
            self.protocol = staged.protocol

    def clear(self) -> None:
        """Forget what was staged."""
        self.metadata = self.protocol = None
