"""The state of a table between two steps of a plan."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from deltaresolver.clients.table_facts import NOTHING_KNOWN, TableFacts
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.actions import AddFile, DomainMetadata
from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.prepared import prepare
from deltaresolver.value import Printable, Value

NO_DOMAINS: Mapping[str, DomainMetadata] = {}


def in_half_a_sentence(error: DeltaResolverError) -> str:
    """An error as half a sentence: what is refused, and the fix."""
    return f"{error.message.rstrip('.')} ({error.fix.rstrip('.')})"


@attrs.frozen(slots=True)
class FileCounts(Value):
    """The number and total size of a table's data files, and of those with deletion vectors."""

    files: int = 0
    size: int = 0
    marked_files: int = 0
    marked_size: int = 0


@attrs.frozen(slots=True, eq=False)
class PlanState(Printable):
    """A table between two steps. `examples` has one file for each kind of file.

    `totals` is None where only metadata is known: then the cost of rewriting is not known, and the table counts as
    having no files. `refusal` is the reason why no commit at all is possible, if there is one.
    """

    catalog: FeatureCatalog
    protocol: Protocol
    metadata: Metadata
    facts: TableFacts = NOTHING_KNOWN
    examples: tuple[AddFile, ...] = ()
    domains: Mapping[str, DomainMetadata] = NO_DOMAINS
    totals: FileCounts | None = None
    table_version: int | None = None
    location: str | None = None
    refusal: str | None = None

    @property
    def supported(self) -> frozenset[str]:
        """Every feature the protocol supports, known or not."""
        return prepare(self.catalog).supported(self.protocol) | self.protocol.listed_features

    @property
    def needs(self) -> TableNeeds:
        """The demands of the table on clients."""
        return TableNeeds.of(self.protocol, self.metadata, self.facts, self.catalog)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for states that are the same to every step."""
        return (
            self.protocol,
            frozenset(self.metadata.configuration.items()),
            self.metadata.schema_string,
            self.facts,
            self.refusal is None,
            frozenset(self.domains),
            tuple((file.path, file.deletion_vector is not None, file.base_row_id) for file in self.examples),
        )

    @property
    def kind(self) -> tuple[object, ...]:
        """Equal for tables that differ only in sizes, paths and locations, as far as commands are concerned."""
        *rest, _ = self.key
        files = tuple((file.deletion_vector is not None, file.base_row_id is not None) for file in self.examples)
        metadata, totals = self.metadata, self.totals
        counted = totals and (totals.files > 0, totals.size > 0, totals.marked_files > 0, totals.marked_size > 0)
        return (*rest, files, counted, metadata.partition_columns, repr(metadata.format))

    def contents(self) -> RemainingTable:
        """The contents that a feature checks when it is dropped, without tombstones and checkpoints."""
        return RemainingTable(
            self.metadata,
            lambda: self.domains,
            lambda: self.examples,
            supported=prepare(self.catalog).supported(self.protocol),
        )
