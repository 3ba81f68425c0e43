"""The tables in list files and catalogs, read once: locations, names and owners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import attrs

from deltaresolver.audit.catalogs.glue import find_in_glue, is_glue
from deltaresolver.audit.catalogs.named_table import ListedTable, read_list
from deltaresolver.audit.catalogs.spark_catalogs import find_with_spark, is_spark_catalog
from deltaresolver.audit.catalogs.unity import find_in_unity, is_unity
from deltaresolver.audit.scan.discovery import same_location
from deltaresolver.audit.scan.runners import Runner
from deltaresolver.errors import DeltaResolverError


def is_catalog(root: str) -> bool:
    """Whether a root is a catalog rather than a location in storage."""
    return is_unity(root) or is_glue(root) or is_spark_catalog(root)


@attrs.define(eq=False)
class Listed:
    """Tables by the root or list file they come from; for a catalog that cannot be read, the error."""

    _found: dict[str, tuple[ListedTable, ...] | DeltaResolverError] = attrs.field(factory=dict)

    @classmethod
    def read(cls, roots: Iterable[str], lists: Iterable[str], storage: Mapping[str, str], runner: Runner) -> Listed:
        """Read all of them, with Spark where needed. Raises `CommandUsageError` for an unreadable list file."""
        found: dict[str, tuple[ListedTable, ...] | DeltaResolverError] = {}
        for path in lists:
            found[path] = tuple(_spelled(read_list(path)))
        for root in filter(is_catalog, roots):
            try:
                found[root] = tuple(_spelled(_find(root, storage, runner)))
            except DeltaResolverError as error:
                found[root] = error
        return cls(found)

    def locations(self, source: str) -> Iterator[str]:
        """The locations of the tables of a root or a list. Raises the error that reading it ended with."""
        found = self._found[source]
        if isinstance(found, DeltaResolverError):
            raise found
        yield from (one.location for one in found)

    def tables(self) -> Iterator[ListedTable]:
        """All of them."""
        for found in self._found.values():
            yield from () if isinstance(found, DeltaResolverError) else found


def _find(root: str, storage: Mapping[str, str], runner: Runner) -> Iterator[ListedTable]:
    if is_unity(root):
        return find_in_unity(root)
    return find_in_glue(root) if is_glue(root) else find_with_spark(root, storage, runner)


def _spelled(tables: Iterable[ListedTable]) -> Iterator[ListedTable]:
    return (
        attrs.evolve(
            one,
            location=same_location(_whole(one.location)),
            name=one.name and _whole(one.name),
            owner=one.owner and _whole(one.owner),
        )
        for one in tables
    )


def _whole(text: str) -> str:
    """The text with ? for lone surrogates, which JSON can spell but no file, store or document can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
