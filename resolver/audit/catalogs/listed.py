"""What list files and catalogs have, read once: where tables lie, what they are called, whose they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.audit.catalogs.named_table import ListedTable, read_list
from deltaresolver.audit.catalogs.unity import find_in_unity, is_unity
from deltaresolver.audit.scan.discovery import same_location
from deltaresolver.errors import DeltaResolverError


@attrs.define(eq=False)
class Listed:
    """Tables by the root or list file that has them; a catalog that cannot be read has its error instead."""

    _found: dict[str, tuple[ListedTable, ...] | DeltaResolverError] = attrs.field(factory=dict)

    @classmethod
    def read(cls, roots: Iterable[str], lists: Iterable[str]) -> Listed:
        """Read them all. Raises `CommandUsageError` for a list file."""
        found: dict[str, tuple[ListedTable, ...] | DeltaResolverError] = {}
        for path in lists:
            found[path] = tuple(_spelled(read_list(path)))
        for root in filter(is_unity, roots):
            try:
                found[root] = tuple(_spelled(find_in_unity(root)))
            except DeltaResolverError as error:
                found[root] = error
        return cls(found)

    def locations(self, source: str) -> Iterator[str]:
        """Where the tables of a root or a list lie. Raises what reading it raised."""
        found = self._found[source]
        if isinstance(found, DeltaResolverError):
            raise found
        yield from (one.location for one in found)

    def tables(self) -> Iterator[ListedTable]:
        """All of them."""
        for found in self._found.values():
            yield from () if isinstance(found, DeltaResolverError) else found


def _spelled(tables: Iterable[ListedTable]) -> Iterator[ListedTable]:
    return (attrs.evolve(one, location=same_location(one.location)) for one in tables)
