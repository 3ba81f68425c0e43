"""What a transaction has read: the ground on which another commit can take it by surprise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from deltaresolver.expressions.conditions import SqlPredicate
from deltaresolver.model.actions import AddFile
from deltaresolver.model.behaviour import PartitionValues


@attrs.frozen(slots=True)
class Read:
    """One read. It concerns a file where every partition predicate may hold; data predicates hold anywhere."""

    partition_predicates: tuple[SqlPredicate, ...] = ()
    data_predicates: tuple[SqlPredicate, ...] = ()


@attrs.frozen(slots=True)
class ReadScope:
    """Everything read so far. Grown by replacement, so that an attempt keeps the scope it started with."""

    reads: tuple[Read, ...] = ()
    files: Mapping[str, PartitionValues] = attrs.field(factory=dict, hash=False)
    """The files seen, by path."""
    whole_table: bool = False
    may_have_read_more: bool = False
    """Whether rows may have been read that nobody has registered, so that an append cannot be called blind."""
    application_ids: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether neither a predicate nor a file was looked at."""
        return not self.reads and not self.files

    def with_read(self, read: Read) -> ReadScope:
        """After one more read."""
        return attrs.evolve(self, reads=(*self.reads, read))

    def with_files(self, files: Iterable[AddFile]) -> ReadScope:
        """After looking at these files."""
        return attrs.evolve(self, files={**self.files, **{file.path: file.partition_values for file in files}})

    def with_whole_table(self) -> ReadScope:
        """After reading everything."""
        return attrs.evolve(self.with_read(Read()), whole_table=True)

    def with_unknown_reads(self) -> ReadScope:
        """After rows came from where nobody can see whether they were read from this table."""
        return attrs.evolve(self, may_have_read_more=True)

    def with_scope(self, other: ReadScope) -> ReadScope:
        """After everything that another transaction has read of the same version."""
        return ReadScope(
            (*self.reads, *other.reads),
            {**self.files, **other.files},
            self.whole_table or other.whole_table,
            self.may_have_read_more or other.may_have_read_more,
            self.application_ids | other.application_ids,
        )

    def with_application(self, app_id: str) -> ReadScope:
        """After asking how far an application has got."""
        return attrs.evolve(self, application_ids=self.application_ids | {app_id})

    def describe(self) -> str:
        """In words, for messages."""
        if self.whole_table:
            return "the whole table"
        parts = [
            " and ".join(str(predicate) for predicate in (*read.partition_predicates, *read.data_predicates))
            or "all files"
            for read in self.reads
        ]
        if self.files and not parts:
            parts.append(f"{len(self.files):,} file{'s' if len(self.files) > 1 else ''}")
        return "; ".join(dict.fromkeys(parts)) or "nothing"
