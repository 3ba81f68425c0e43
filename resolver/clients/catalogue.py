"""The known clients, by name, and the short form that names one release."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping

import attrs

from deltaresolver.clients.client import Client
from deltaresolver.clients.versions import ClientVersion
from deltaresolver.errors import UnknownClientError
from deltaresolver.value import Printable


def _by_id(clients: Mapping[str, Client]) -> dict[str, Client]:
    return dict(sorted(clients.items()))


@attrs.frozen(slots=True, eq=False)
class ClientCatalogue(Printable):
    """The known clients by id, sorted."""

    clients: Mapping[str, Client] = attrs.field(converter=_by_id)

    @classmethod
    def of(cls, clients: Iterable[Client]) -> ClientCatalogue:
        """A catalogue of these clients; the last of equal ids wins."""
        return cls({client.id: client for client in clients})

    def __iter__(self) -> Iterator[Client]:
        return iter(self.clients.values())

    def __len__(self) -> int:
        return len(self.clients)

    def __contains__(self, name: object) -> bool:
        return name in self.clients

    def get(self, name: str) -> Client:
        """The client with this id, whatever its case. Raises `UnknownClientError`, which names the nearest ones."""
        client = self.clients.get(name) or self.clients.get(name.lower())
        if client is not None:
            return client
        nearest = self._nearest(name.lower())
        hint = (
            f"Did you mean {' or '.join(nearest)}?" if nearest else "List the known ones with `deltaresolver clients`."
        )
        raise UnknownClientError(
            f"No client is called {name!r}.",
            fix=hint,
            details={"client": name, "nearest": nearest},
        )

    def _nearest(self, name: str) -> list[str]:
        """At most three names that may be meant; a release that was written without an @ is split off."""
        glued = _GLUED.fullmatch(name)
        if glued is not None and glued[1] in self.clients:
            return [f"{glued[1]}@{glued[2]}"]
        inside = [known for known in self.clients if name in known and len(name) >= _TELLING]
        return inside[:3] or difflib.get_close_matches(name, self.clients, n=3, cutoff=0.5)

    def with_clients(self, clients: Iterable[Client]) -> ClientCatalogue:
        """The same catalogue with clients added or replaced."""
        return ClientCatalogue.of([*self, *clients])

    def parse(self, spec: str) -> ClientAtVersion:
        """The release in `trino@468`, `delta-rs-python/pyarrow@1.5`, or `trino` (the newest seen); not in `trino@`.

        Raises `UnknownClientError`, `UnknownClientPathError`, `ClientVersionUnreadableError`.
        """
        name, at, version = spec.strip().partition("@")
        name, _, path = name.strip().partition("/")
        client = self.get(name)
        release = client.version(version) if at else client.latest_seen or NEWEST
        return ClientAtVersion(client, release, client.path(path or None, release))


_GLUED = re.compile(r"(.*?)[-_:= v]*(\d[\d.]*)")
_TELLING = 3
"""The number of letters at the start of a name that is enough to suggest it."""

NEWEST = ClientVersion("newest seen", (1 << 60,))
"""Stands for the newest release of a client without recorded version numbers."""


@attrs.frozen(slots=True, eq=False, repr=False)
class ClientAtVersion:
    """One release of one client, on one path."""

    client: Client
    version: ClientVersion
    path: str = ""

    def __str__(self) -> str:
        usual = self.client.default_path(self.version)
        path = f"/{self.path}" if self.path and self.path != usual else ""
        return f"{self.client.id}{path}" if self.version == NEWEST else f"{self.client.id}{path}@{self.version}"

    def __repr__(self) -> str:
        return f"ClientAtVersion({self})"
