"""Audit many tables in one call: the task that processes and Spark executors are given."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

import attrs
import msgspec

from deltaresolver.audit.bounded.bounded_work import BoundedWork
from deltaresolver.audit.bounded.budget import Budget, Excess
from deltaresolver.audit.bounded.crew import share
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
    """The settings that are equal for every table; small, hashable, and safe to send to other machines.

    clients           releases asked about for every table; those that the lake.toml requires are added
    profiles_folder   where processes share client profiles, if they can reach it
    budget            what one table may cost; None reads tables in the process that runs the task
    without_plugins   packages of plugins to leave out, on every machine
    """

    now_ms: int
    clients: tuple[str, ...] = ()
    storage: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)
    history_limit: int = 1000
    profiles_folder: str | None = None
    deep: bool = False
    lake: Lake | None = None
    budget: Budget | None = None
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
        """The tables' audits. A fault of a table is part of its audit and never raised."""
        if self.settings.budget is not None:
            return self._within(self.settings.budget, locations)
        with _no_garbage_collection(), leaving_out(self.settings.without_plugins):
            return _joined(_audited(auditor_for(self.settings), location) for location in locations)

    def _within(self, budget: Budget, locations: Sequence[str]) -> bytes:
        """The same, in another process, which is ended at a table that exceeds the budget."""
        try:
            return self._result(locations, bounded_for(self.settings)[0].run(locations), budget)
        except BaseException:
            end_bounded()
            raise

    @property
    def brings_processes(self) -> bool:
        """Whether this task reads tables in processes of its own, so that a runner need not start any."""
        return self.settings.budget is not None

    def shared(self, batches: Iterable[tuple[int, Sequence[str]]], workers: int) -> Iterator[tuple[int, bytes]]:
        """Each batch's number and result, as they arrive from `workers` processes; only with a budget."""
        budget = self.settings.budget
        if budget is None:
            raise ValueError("no budget, no processes")
        _load_for_many()
        try:
            for number, locations, outcomes in share(bounded_for(self.settings, workers), batches):
                yield number, self._result(locations, outcomes, budget)
        except BaseException:
            end_bounded()
            raise

    def _result(self, locations: Sequence[str], outcomes: Iterable[bytes | Excess], budget: Budget) -> bytes:
        return _joined(
            self._given_up(location, one, budget) if isinstance(one, Excess) else one
            for location, one in zip(locations, outcomes, strict=True)
        )

    def _given_up(self, location: str, excess: Excess, budget: Budget) -> bytes:
        return _encode(auditor_for(self.settings).given_up(location, excess.as_error(location, budget))) + b"\n"


@attrs.frozen(slots=True)
class _OneTable:
    """The work of the other process: the audit of one table for each item."""

    settings: AuditSettings

    def prepare(self) -> None:
        """Load the facts about clients."""
        _ = auditor_for(self.settings).profiles.releases

    def __call__(self, location: str) -> bytes:
        """A table's audit."""
        with leaving_out(self.settings.without_plugins):
            return _audited(auditor_for(self.settings), location)


def _audited(auditor: Auditor, location: str) -> bytes:
    """A table's line, and the lines of profiles that it is the first to have."""
    known = len(auditor.profiles.made)
    line = _encode(auditor.audit(location)) + b"\n"
    made = islice(auditor.profiles.made.values(), known, None)
    profiles = b"".join(_encode(profile) + b"\n" for profile in made)
    return line + _BETWEEN + profiles if profiles else line


def _joined(results: Iterable[bytes]) -> bytes:
    parts = [split_result(one) for one in results]
    return b"".join(tables for tables, _ in parts) + _BETWEEN + b"".join(profiles for _, profiles in parts)


def _load_for_many() -> None:
    """Import before forking the modules that nearly every lake needs: otherwise each process takes half a second."""
    import deltaresolver.log.checkpoint.few_rows  # noqa: PLC0415 - a few tables may do without
    import deltaresolver.transaction.alter.alter_table  # noqa: F401, PLC0415 - the same


_bounded: dict[AuditSettings, list[BoundedWork]] = {}
"""The processes of one audit, kept from batch to batch because they remember verdicts."""


def bounded_for(settings: AuditSettings, count: int = 1) -> list[BoundedWork]:
    """Processes that read tables for this one, at least `count`; missing ones are started."""
    if settings.budget is None:
        raise ValueError("no budget, no process")
    if settings not in _bounded:
        end_bounded()
    works = _bounded.setdefault(settings, [])
    while len(works) < count:
        works.append(BoundedWork(_OneTable(settings), settings.budget))
    return works


def end_bounded() -> None:
    """End the processes that read tables for this one, if there are any."""
    while _bounded:
        for work in _bounded.popitem()[1]:
            work.close()


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Switch the collector off: an audit leaves no large cycles, and looking for them takes a twentieth of its time."""
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
    """The result of a batch, in two parts: the lines of its tables, and those of its profiles."""
    tables, _, profiles = result.partition(_BETWEEN)
    return tables, profiles


@lru_cache(maxsize=1)
def auditor_for(settings: AuditSettings) -> Auditor:
    """The one auditor of this process for these settings; it remembers verdicts by the demands of tables."""
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
