"""Audit a lake: find its tables, audit them with a runner, and sum up. All results are kept on disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import attrs
import msgspec

from deltaresolver.audit.bounded.budget import Budget
from deltaresolver.audit.catalogs.listed import Listed, is_catalog
from deltaresolver.audit.catalogs.named_table import with_names
from deltaresolver.audit.document.document import ClientProfile, LakeAudit, Regression, RootAudit
from deltaresolver.audit.document.document_file import StoredAudit, write_encoded
from deltaresolver.audit.document.regressions import regressions
from deltaresolver.audit.document.tally import Tally
from deltaresolver.audit.scan.batch import (
    AuditSettings,
    BatchAudit,
    auditor_for,
    end_bounded,
    split_result,
)
from deltaresolver.audit.scan.discovery import find_tables, same_location
from deltaresolver.audit.scan.folder_tree import as_written
from deltaresolver.audit.scan.rule_set import RuleSet, default_rules
from deltaresolver.audit.scan.runners import Runner
from deltaresolver.audit.scan.work_folder import WorkFolder
from deltaresolver.clients.asked import ask_all
from deltaresolver.clients.own_clients import knowledge_with
from deltaresolver.errors import DeltaResolverError, StorageAccessDeniedError
from deltaresolver.errors.secrets import redacted, redacted_data
from deltaresolver.model.audit_table import TableAudit
from deltaresolver.planning.lake.lake import Lake

Progress = Callable[[int, int], None]
"""Called with the number of tables done and the number of all tables."""

_MAX_SHOWN = 5

_table_decoder = msgspec.json.Decoder(TableAudit)
_profile_decoder = msgspec.json.Decoder(ClientProfile)


def no_progress(done: int, total: int) -> None:
    """Report no progress."""


@attrs.frozen(slots=True)
class AuditRequest:
    """The tables to audit, and the settings of the audit.

    roots    what is searched for tables: folders, object store prefixes and catalogs (`unity:URL`, `glue:REGION`,
             `hive:thrift://HOST:9083`, `catalog:NAME`), the last two through Spark
    lists    files with one table a line: its location, and after tabs its name and its owner
    tables   locations of single tables
    clients  releases to ask about by name, such as `trino@468`
    since    the document of an earlier audit
    kept_as  where the document will be kept; commands that the report shows name this file
    lake     the settings of the owner of the lake, from a lake.toml
    deep     read all of each table's newest checkpoint and list its files
    budget   what one table may cost before it is given up; None: anything, and tables are read in this process
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
    lake: Lake | None = None
    kept_as: str | None = None
    budget: Budget | None = attrs.field(factory=Budget)


@attrs.frozen(slots=True)
class LakeAudited:
    """The document, and the counts behind it that `--fail-on` asks."""

    document: StoredAudit
    tally: Tally


def audit_lake(
    request: AuditRequest, runner: Runner, work: Path, target: Path, progress: Progress = no_progress
) -> LakeAudited:
    """Audit, or continue the audit in the folder `work`; write the document to `target` and remove `work` at the end.

    A table or a root that cannot be read is in the document. Raises `UnknownClientError` and its like for a client,
    `AuditFileError` for `since`, `AuditResumeError` for a foreign `work`, `CommandUsageError` for a list.
    """
    started_ms = time.time_ns() // 1_000_000
    earlier = None if request.since is None else StoredAudit(request.since)
    lake = request.lake
    knowledge = knowledge_with(() if lake is None else lake.clients_files)
    clients = tuple(map(str, ask_all(request.clients, knowledge)))
    rules = default_rules().select(None if lake is None else lake.selected)
    folder = WorkFolder(work, _settings(request, rules))
    listed = Listed.read(request.roots, request.lists, dict(request.storage), runner)
    roots = _find_all(request, folder, runner, listed)
    settings = _of_tables(request, folder, clients, listed, started_ms)
    try:
        tally = _audit_tables(settings, folder, runner, request.batch_size, progress)
        profiles = _profiles(settings, tally, folder)
    finally:
        end_bounded()
    head = msgspec.structs.replace(
        _head(settings, roots, tally, folder, profiles, earlier),
        rules=tally.rule_infos(rules.submitted),
        cards=tally.cards.cards(request.kept_as),
        file=request.kept_as,
        took_ms=time.time_ns() // 1_000_000 - started_ms,
    )
    write_encoded(head, folder.lines(), target)
    folder.remove()
    return LakeAudited(StoredAudit(target), tally)


def _of_tables(
    request: AuditRequest, folder: WorkFolder, clients: tuple[str, ...], listed: Listed, started_ms: int
) -> AuditSettings:
    """The settings that every table is audited with."""
    return AuditSettings(
        folder.begun_ms(started_ms),
        clients,
        request.storage,
        request.history_limit,
        str(folder.profiles.absolute()),
        request.deep,
        with_names(request.lake, listed.tables()),
        request.budget,
    )


def _audit_tables(
    settings: AuditSettings, folder: WorkFolder, runner: Runner, batch_size: int, progress: Progress
) -> Tally:
    """Audit what is left, and count everything."""
    total = folder.count()
    sizes = {number: len(batch) for number, batch in folder.open_batches(batch_size)}
    done = total - sum(sizes.values())
    progress(done, total)
    counting = _Counting(folder, Tally(_asked_of(settings)))
    for number, result in runner.run(BatchAudit(settings), folder.open_batches(batch_size)):
        folder.keep_batch(number, result)
        counting.go_on()
        done += sizes[number]
        progress(done, total)
    counting.go_on()
    return counting.tally


def _settings(request: AuditRequest, rules: RuleSet) -> dict[str, object]:
    """The settings that must be equal to continue an audit; storage options have secrets and are not kept."""
    asked = attrs.asdict(request, filter=attrs.filters.exclude("storage", "since", "lake", "kept_as"))
    asked = redacted_data({key: list(value) if isinstance(value, tuple) else value for key, value in asked.items()})
    # Its text holds no secrets either.
    asked["lake"] = None if request.lake is None else str(request.lake)
    return {**asked, "rules": [rule.name for rule in rules.rules]}


def _find_all(request: AuditRequest, folder: WorkFolder, runner: Runner, listed: Listed) -> tuple[RootAudit, ...]:
    """Search the roots, unless an earlier run has finished the search."""
    if folder.has_locations:
        return folder.roots()
    roots: list[RootAudit] = []
    folder.keep_locations(_locations(request, roots, runner, listed))
    # The search is finished when both are there.
    folder.keep_roots(roots)
    return tuple(roots)


def _locations(request: AuditRequest, roots: list[RootAudit], runner: Runner, listed: Listed) -> Iterator[str]:
    options = dict(request.storage)
    for root in request.roots:
        found, error, fix = 0, None, None
        refused: list[str] = []
        try:
            search = listed.locations(root) if is_catalog(root) else find_tables(root, options, runner, refused.append)
            for location in search:
                found += 1
                yield same_location(location)
        except DeltaResolverError as problem:
            error, fix = f"{problem.code}: {problem.message}", problem.fix or None
        if refused and error is None:
            error, fix = _refusal(refused)
        roots.append(RootAudit(as_written(redacted(root)), found, error, fix))
    for path in request.lists:
        locations = list(listed.locations(path))
        yield from locations
        roots.append(RootAudit(path, len(locations)))
    for table in request.tables:
        yield same_location(table)


def _refusal(folders: Sequence[str]) -> tuple[str, str]:
    """The message about folders that could not be listed, and what to do about them."""
    shown = ", ".join(folders[:_MAX_SHOWN]) + (", ..." if len(folders) > _MAX_SHOWN else "")
    kind = StorageAccessDeniedError.code
    what = f"{len(folders)} folders could not be listed, or have names that are not UTF-8"
    return (
        f"{kind}: {what}, and tables in them are missing here: {shown}",
        "Run the audit with an account that may list these folders; rename those with bytes such as \\xff in a name.",
    )


@attrs.define(eq=False)
class _Counting:
    """Counts finished batches in order while others are still running, so that little is left to count at the end."""

    folder: WorkFolder
    tally: Tally
    _next: int = 0

    def go_on(self) -> None:
        """Count every result that is next in order."""
        while (lines := self.folder.find_lines(self._next)) is not None:
            for line in lines:
                self.tally.add(_table_decoder.decode(line))
            self._next += 1


def _asked_of(settings: AuditSettings) -> Callable[[TableAudit], tuple[tuple[str, str], ...]]:
    """A function that returns what was asked about a table: pairs of a release and an act."""
    auditor = auditor_for(settings)

    def asked_of(table: TableAudit) -> tuple[tuple[str, str], ...]:
        asked = auditor.asked_of(table.location, table.name).blockers.asked
        return tuple((str(client), act.value) for client, acts in asked for act in acts)

    return asked_of


def _tables(folder: WorkFolder) -> Iterator[TableAudit]:
    return map(_table_decoder.decode, folder.lines())


def _head(
    settings: AuditSettings,
    roots: tuple[RootAudit, ...],
    tally: Tally,
    folder: WorkFolder,
    profiles: Mapping[str, ClientProfile],
    earlier: StoredAudit | None,
) -> LakeAudit:
    releases = auditor_for(settings).profiles.releases
    releases_asked = tuple(map(str, ask_all(settings.every_client, auditor_for(settings).profiles.knowledge)))
    worse: tuple[Regression, ...] = ()
    if earlier is not None:
        asked, looked = frozenset(earlier.head.clients), frozenset(rule.name for rule in earlier.head.rules)
        worse = tuple(regressions(earlier.tables(), _tables(folder), asked, looked))
    return LakeAudit(
        when_ms=settings.now_ms,
        tool="deltaresolver",
        roots=roots,
        clients=releases_asked,
        summary=tally.summary(profiles, releases, releases_asked, settings.now_ms),
        profiles=tuple(
            msgspec.structs.replace(profile, tables=tally.profiles[key])
            for key, profile in sorted(profiles.items())
            if tally.profiles[key]
        ),
        regressions=worse,
        since_ms=None if earlier is None else earlier.head.when_ms,
    )


def _profiles(settings: AuditSettings, tally: Tally, folder: WorkFolder) -> dict[str, ClientProfile]:
    """Every profile that a table has. One that was lost with an interrupted batch is made again from such a table."""
    found = {profile.key: profile for profile in map(_profile_decoder.decode, folder.profile_lines())}
    for key in tally.profiles.keys() - found.keys():
        end_bounded()  # what it made it does not make again
        _, made = split_result(BatchAudit(settings)([tally.examples[key]]))
        again = {profile.key: profile for profile in map(_profile_decoder.decode, made.splitlines())}
        found[key] = again.get(key, ClientProfile(key))
    return found
