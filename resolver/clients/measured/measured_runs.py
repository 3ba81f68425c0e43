"""Read the release of a recorded run, which has client, version and engine as separate texts."""

from __future__ import annotations

from deltaresolver.clients.catalogue import ClientAtVersion, ClientCatalogue

_DECIDED_BY_LIBRARY = frozenset({"polars", "daft", "dask-deltatable"})
"""Clients whose behaviour depends on the version of the engine beside them."""

CODES = {"ok": "o", "refused": "r", "crash": "r", "wrong": "w", None: "-"}
"""The letter for each outcome of an act; a crash counts as a refusal, since it returns no rows either."""


def run_version(client: str, version: str, engine: str) -> str:
    """The version in the form of this package: `1.40.1 (deltalake 1.4.2)`."""
    return f"{version} ({engine})" if client in _DECIDED_BY_LIBRARY else version


def run_path(engine: str) -> str:
    """The path that an engine stands for: its name without a version."""
    return engine.partition(" ")[0]


def run_release(client: str, version: str, engine: str, catalogue: ClientCatalogue) -> ClientAtVersion:
    """The release a run was made with. An engine that is not one of the client's paths counts as the usual path.

    Raises `UnknownClientError`, `ClientVersionUnreadableError`.
    """
    known = catalogue.get(client)
    release = known.version(run_version(client, version, engine))
    path = run_path(engine)
    return ClientAtVersion(known, release, path if path in known.paths else known.default_path(release))
