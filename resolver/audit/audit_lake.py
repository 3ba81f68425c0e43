"""Audit a lake: find its tables, audit them where the runner says, and sum up; on disk all the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import msgspec

from deltaresolver.audit.document.document import ClientProfile, LakeAudit, Regression, RootAudit
from deltaresolver.audit.document.document_file import StoredAudit, write_encoded
from deltaresolver.audit.document.regressions import regressions
from deltaresolver.audit.document.tally import Tally
from deltaresolver.audit.scan.batch import AuditSettings, BatchAudit, auditor_for
from deltaresolver.audit.scan.discovery import find_in_catalog, find_tables, is_catalog, read_list, same_location
from deltaresolver.audit.scan.rule_set import RuleSet, default_rules
from deltaresolver.audit.scan.runners import Runner
from deltaresolver.audit.scan.work_folder import WorkFolder
from deltaresolver.clients.asked import ask_all
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.audit_table import TableAudit

Progress = Callable[[int, int], None]
"""Told how many tables are done, and of how many."""

_table_decoder = msgspec.json.Decoder(TableAudit)
_profile_decoder = msgspec.json.Decoder(ClientProfile)


def no_progress(done: int, total: int) -> None:
    """Tell nobody."""


@attrs.frozen(slots=True)
class AuditRequest:
    """What to audit, and against what.

    roots    what is searched for tables: folders, object store prefixes, and on Spark catalogs (`catalog:NAME`)
    lists    files with one table location a line
    tables   locations of single tables
    clients  releases to ask about by name, such as `trino@468`
    since    the document of an earlier audit
    deep     read all of each table's newest checkpoint and list its files
    """

    roots: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    storage: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)
    since: str | None = None
    history_limit: int = 1000
    batch_size: int = 50
    deep: bool = False


@attrs.frozen(slots=True)
class LakeAudited:
    """The document, and the counts behind it that `--fail-on` asks."""

    document: StoredAudit
    tally: Tally


def audit_lake(
    request: AuditRequest, runner: Runner, work: Path, target: Path, progress: Progress = no_progress
) -> LakeAudited:
    """Audit, or go on with what `work` holds; the document goes to `target`, and `work` is removed at the end.

    A table or a root that cannot be read is in the document. Raises `UnknownClientError` and its like for a client,
    `AuditFileError` for `since`, `AuditResumeError` for a foreign `work`, `CommandUsageError` for a list.
    """
    started_ms = time.time_ns() // 1_000_000
    earlier = None if request.since is None else StoredAudit(request.since)
    clients = tuple(map(str, ask_all(request.clients, default_knowledge())))
    rules = default_rules()
    folder = WorkFolder(work, _settings(request, rules))
    roots = _find_all(request, folder, runner)
    settings = AuditSettings(
        folder.begun_ms(started_ms),
        clients,
        request.storage,
        request.history_limit,
        str(folder.profiles.absolute()),
        request.deep,
    )
    total = folder.count()
    done = total - sum(len(batch) for _, batch in folder.open_batches(request.batch_size))
    progress(done, total)
    sizes = {number: len(batch) for number, batch in folder.open_batches(request.batch_size)}
    counting = _Counting(folder)
    for number, result in runner.run(BatchAudit(settings), folder.open_batches(request.batch_size)):
        folder.keep_batch(number, result)
        counting.go_on()
        done += sizes[number]
        progress(done, total)
    counting.go_on()
    tally = counting.tally
    head = _head(settings, roots, tally, folder, earlier)
    head = msgspec.structs.replace(head, rules=tally.rule_infos(rules.submitted))
    head = msgspec.structs.replace(head, took_ms=time.time_ns() // 1_000_000 - started_ms)
    write_encoded(head, folder.lines(), target)
    folder.remove()
    return LakeAudited(StoredAudit(target), tally)


def _settings(request: AuditRequest, rules: RuleSet) -> dict[str, object]:
    """What must be the same for an audit to go on; storage options hold secrets and are not kept."""
    asked = attrs.asdict(request, filter=attrs.filters.exclude("storage", "since"))
    return {**asked, "rules": [rule.name for rule in rules.rules]}


def _find_all(request: AuditRequest, folder: WorkFolder, runner: Runner) -> tuple[RootAudit, ...]:
    """Search the roots, unless that was done already."""
    if folder.has_locations:
        return folder.roots()
    roots: list[RootAudit] = []
    folder.keep_locations(_locations(request, roots, runner))
    folder.keep_roots(roots)
    return tuple(roots)


def _locations(request: AuditRequest, roots: list[RootAudit], runner: Runner) -> Iterator[str]:
    options = dict(request.storage)
    for root in request.roots:
        found, error, fix = 0, None, None
        try:
            found_in = find_in_catalog if is_catalog(root) else find_tables
            for location in found_in(root, options, runner):
                found += 1
                yield same_location(location)
        except DeltaResolverError as problem:
            error, fix = f"{problem.code}: {problem.message}", problem.fix or None
        roots.append(RootAudit(root, found, error, fix))
    for path in request.lists:
        listed = 0
        for location in read_list(path):
            listed += 1
            yield same_location(location)
        roots.append(RootAudit(path, listed))
    for table in request.tables:
        yield same_location(table)


@attrs.define(eq=False)
class _Counting:
    """Counts batches in order, as far as they are done, so that nothing is left to count when the last one is."""

    folder: WorkFolder
    tally: Tally = attrs.field(factory=Tally)
    _next: int = 0

    def go_on(self) -> None:
        """Count what has come to be next in order."""
        while (lines := self.folder.find_lines(self._next)) is not None:
            for line in lines:
                self.tally.add(_table_decoder.decode(line))
            self._next += 1


def _tables(folder: WorkFolder) -> Iterator[TableAudit]:
    return map(_table_decoder.decode, folder.lines())


def _head(
    settings: AuditSettings, roots: tuple[RootAudit, ...], tally: Tally, folder: WorkFolder, earlier: StoredAudit | None
) -> LakeAudit:
    profiles = _profiles(settings, tally, folder)
    releases = auditor_for(settings).profiles.releases
    worse: tuple[Regression, ...] = ()
    if earlier is not None:
        asked, looked = frozenset(earlier.head.clients), frozenset(rule.name for rule in earlier.head.rules)
        worse = tuple(regressions(earlier.tables(), _tables(folder), asked, looked))
    return LakeAudit(
        when_ms=settings.now_ms,
        tool="deltaresolver",
        roots=roots,
        clients=settings.clients,
        summary=tally.summary(profiles, releases, settings.clients, settings.now_ms),
        profiles=tuple(
            msgspec.structs.replace(profile, tables=tally.profiles[key])
            for key, profile in sorted(profiles.items())
            if tally.profiles[key]
        ),
        regressions=worse,
        since_ms=None if earlier is None else earlier.head.when_ms,
    )


def _profiles(settings: AuditSettings, tally: Tally, folder: WorkFolder) -> dict[str, ClientProfile]:
    """Every profile met. One that was lost with an interrupted batch is made again, from some table that has it."""
    found = {profile.key: profile for profile in map(_profile_decoder.decode, folder.profile_lines())}
    for key in tally.profiles.keys() - found.keys():
        auditor = auditor_for(settings)
        auditor.audit(tally.examples[key])
        found[key] = auditor.profiles.made.get(key, ClientProfile(key))
    return found
