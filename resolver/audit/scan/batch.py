"""Audit many tables in one call: the task that processes and Spark executors are given."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import attrs
import msgspec

from deltaresolver.audit.document.asked_of_tables import AskedOfTables
from deltaresolver.audit.document.client_profiles import ClientProfiles
from deltaresolver.audit.document.shared_profiles import SharedProfiles
from deltaresolver.audit.scan.one_table import Auditor
from deltaresolver.audit.scan.rule_set import default_rules
from deltaresolver.clients.own_clients import knowledge_with
from deltaresolver.defaults import default_catalog
from deltaresolver.planning.lake.lake import Lake
from deltaresolver.plugins import leaving_out, left_out


@attrs.frozen(slots=True)
class AuditSettings:
    """What is the same for every table; small, hashable, and safe to send to other machines.

    clients           releases that were asked about for every table; those that the lake.toml requires come beside
    profiles_folder   where processes that can reach it find the client profiles of the others
    without_plugins   packages of plugins to leave out, wherever the work is done
    """

    now_ms: int
    clients: tuple[str, ...] = ()
    storage: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)
    history_limit: int = 1000
    profiles_folder: str | None = None
    deep: bool = False
    lake: Lake | None = None
    without_plugins: frozenset[str] = attrs.field(factory=left_out)

    @property
    def every_client(self) -> tuple[str, ...]:
        """The releases asked about for any table."""
        required = () if self.lake is None else tuple(one.name for one in self.lake.clients)
        return tuple(dict.fromkeys((*self.clients, *required)))


@attrs.frozen(slots=True)
class BatchAudit:
    """A task: `BatchAudit(settings)(locations)` gives JSON lines, one table each, and new client profiles."""

    settings: AuditSettings

    def __call__(self, locations: Sequence[str]) -> bytes:
        """The tables' audits. What is wrong with a table is in its audit."""
        auditor = auditor_for(self.settings)
        known = set(auditor.profiles.made)
        with _no_garbage_collection(), leaving_out(self.settings.without_plugins):
            tables = b"".join(_encode(auditor.audit(location)) + b"\n" for location in locations)
        made = (profile for key, profile in auditor.profiles.made.items() if key not in known)
        return tables + _BETWEEN + b"".join(_encode(profile) + b"\n" for profile in made)


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """An audit leaves no cycles of any size, and looking for them takes a twentieth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_encode = msgspec.json.Encoder(enc_hook=str).encode
_BETWEEN = b"\0"


def split_result(result: bytes) -> tuple[bytes, bytes]:
    """What a batch gave: the lines of its tables, and those of its profiles."""
    tables, _, profiles = result.partition(_BETWEEN)
    return tables, profiles


@lru_cache(maxsize=1)
def auditor_for(settings: AuditSettings) -> Auditor:
    """One auditor in each process: it remembers what clients do with what tables demand."""
    with leaving_out(settings.without_plugins):
        return _auditor(settings)


def _auditor(settings: AuditSettings) -> Auditor:
    shared = None if settings.profiles_folder is None else SharedProfiles(Path(settings.profiles_folder))
    lake = settings.lake
    own = () if lake is None else lake.clients_files
    profiles = ClientProfiles(knowledge_with(own), settings.every_client, shared)
    return Auditor(
        default_catalog(),
        default_rules().select(None if lake is None else lake.selected),
        profiles,
        settings.now_ms,
        dict(settings.storage),
        settings.history_limit,
        settings.deep,
        AskedOfTables(profiles.knowledge, settings.clients, lake, dict(settings.storage)),
    )
