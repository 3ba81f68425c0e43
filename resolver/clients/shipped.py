"""The catalogue and measurements that come with this package, and users' own clients from TOML."""

from __future__ import annotations

import errno
import gzip
import json
import os
import tomllib
from collections import defaultdict
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.clients.catalogue import ClientCatalogue
from deltaresolver.clients.client import Client
from deltaresolver.clients.installed import installed_clients
from deltaresolver.clients.measured.measurements import Measurements
from deltaresolver.clients.parsing import parse_clients
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.clients.versions import ClientVersion
from deltaresolver.defaults import default_catalog
from deltaresolver.errors import ClientCatalogueInvalidError
from deltaresolver.plugins import leaving_out, left_out

_DATA = files("deltaresolver.clients") / "data"
MAX_CLIENTS_BYTES = 5_000_000
"""The size limit for a file with users' own clients."""


def load_json(name: str) -> Any:
    """One data file of this package."""
    content = (_DATA / name).read_bytes()
    return json.loads(gzip.decompress(content) if name.endswith(".gz") else content)


def default_clients() -> ClientCatalogue:
    """The clients of this package and of installed packages, without those that cannot be used."""
    return _clients(left_out())


@cache
def _clients(without: frozenset[str]) -> ClientCatalogue:
    with leaving_out(without):
        return installed_clients(shipped_clients())


@cache
def shipped_clients() -> ClientCatalogue:
    """The clients that come with this package. Raises `ClientCatalogueInvalidError` if the data is broken."""
    clients = load_json("clients.json")["clients"]
    finer: dict[str, Any] = load_json("client_rules.json")
    for client in clients:
        client.update(finer.get(client["id"], {}))
    return ClientCatalogue.of(parse_clients(clients, "the shipped client catalogue"))


def default_knowledge() -> ClientKnowledge:
    """The shipped and installed clients with their measurements, those made on this machine included.

    Raises `MeasurementsUnreadableError`.
    """
    return _knowledge(left_out())


@cache
def _knowledge(without: frozenset[str]) -> ClientKnowledge:
    measurements = Measurements.from_json(load_json("measured.json.gz"), shipped_clients())
    if own_results_folder().is_dir():
        from deltaresolver.clients.probe.results import kept_results, with_results

        measurements = with_results(measurements, list(kept_results(own_results_folder())), _clients(without))
    return ClientKnowledge(with_newest_releases(_clients(without), measurements), measurements)


def own_results_folder() -> Path:
    """The folder with results of `deltaresolver probe`: `DELTARESOLVER_MEASURED`, else one in the user's data."""
    named = os.environ.get("DELTARESOLVER_MEASURED")
    if named:
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME") or str(Path("~").expanduser() / ".local" / "share")
    return Path(data) / "deltaresolver" / "measured"


def with_newest_releases(catalogue: ClientCatalogue, measurements: Measurements) -> ClientCatalogue:
    """The same clients, each with its newest release: known, measured, or beside a measured client."""
    known: dict[str, list[ClientVersion]] = defaultdict(list)
    for (client_id, path), releases in measurements.releases.items():
        versions = [release.version for release in releases]
        known[client_id] += versions
        client = catalogue.clients.get(client_id)
        beside = {one.client for one in client.delegations if one.path in ("", path)} if client is not None else set()
        libraries = [version.library for version in versions if version.library is not None]
        for other in beside & catalogue.clients.keys():
            known[other] += [catalogue.get(other).version(str(one).rpartition(" ")[2]) for one in libraries]
    return catalogue.with_clients(_with_newest(client, known[client.id]) for client in catalogue)


def _with_newest(client: Client, known: list[ClientVersion]) -> Client:
    seen = [] if client.latest_seen is None else [client.latest_seen]
    newest = max((*seen, *known), key=lambda version: version.order, default=None)
    return client if newest is client.latest_seen else attrs.evolve(client, latest_seen=newest)


def load_clients_toml(path: str | Path) -> tuple[Client, ...]:
    """Clients from a TOML file with one `[[client]]` table each, in the shape of the shipped catalogue.

    Raises `ClientCatalogueInvalidError` listing every problem; `OSError` if the file cannot be read or is too large.
    """
    with Path(path).open("rb") as file:
        data = file.read(MAX_CLIENTS_BYTES + 1)
    if len(data) > MAX_CLIENTS_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MAX_CLIENTS_BYTES:,} bytes", str(path))
    text = data.decode("utf-8")
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits does not raise TOMLDecodeError
        raise ClientCatalogueInvalidError(
            f"{path} is not TOML: {error}.",
            fix="Write one [[client]] table per client.",
            details={"origin": str(path), "problems": [str(error)]},
        ) from error
    clients = found.get("client")
    problems = [f"unknown key {key!r}; clients stand in [[client]] tables" for key in sorted(found.keys() - {"client"})]
    if not isinstance(clients, list):
        problems.append("there is no [[client]] table")
        clients = []
    return parse_clients(clients, str(path), features=default_catalog().names, earlier=problems)
