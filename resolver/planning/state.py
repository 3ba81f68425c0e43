"""A table as a plan imagines it between two steps."""

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
    """What forbids something, with what would mend it."""
    return f"{error.message.rstrip('.')} ({error.fix.rstrip('.')})"


@attrs.frozen(slots=True)
class FileCounts(Value):
    """How many data files a table has and how large they are; and of them those with deletion vectors."""

    files: int = 0
    size: int = 0
    marked_files: int = 0
    marked_size: int = 0


@attrs.frozen(slots=True, eq=False)
class PlanState(Printable):
    """A table between two steps. `examples` are files that stand for all of their kind.

    `totals` is None where only metadata is known: then what rewriting costs is not known, and no files are supposed.
    `refusal` is why the log takes no commit at all, whatever it would change.
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
        """What the table demands of clients."""
        return TableNeeds.of(self.protocol, self.metadata, self.facts, self.catalog)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for states between which no step can tell a difference."""
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
        """Equal for tables between which only sizes, paths and places make a difference, to any command."""
        *rest, _ = self.key
        files = tuple((file.deletion_vector is not None, file.base_row_id is not None) for file in self.examples)
        metadata, totals = self.metadata, self.totals
        counted = totals and (totals.files > 0, totals.size > 0, totals.marked_files > 0, totals.marked_size > 0)
        return (*rest, files, counted, metadata.partition_columns, repr(metadata.format))

    def contents(self) -> RemainingTable:
        """As features look at a table when they go; tombstones and checkpoints are left to the steps of a drop."""
        return RemainingTable(
            self.metadata,
            lambda: self.domains,
            lambda: self.examples,
            supported=prepare(self.catalog).supported(self.protocol),
        )
