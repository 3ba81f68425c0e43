"""`deltaresolver.audit`: the audit of the command line, for programs."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import msgspec

from deltaresolver.audit.audit_lake import AuditRequest, LakeAudited, Progress, audit_lake, no_progress
from deltaresolver.audit.bounded.budget import budget_for
from deltaresolver.audit.document.document import LakeAudit
from deltaresolver.audit.document.output_place import find_obstacle, is_stream
from deltaresolver.audit.fail_on import REGRESSION, check_fail_on, rule_names
from deltaresolver.audit.scan.runners import InProcess, Processes, Runner
from deltaresolver.errors import CommandUsageError, OutputUnwritableError
from deltaresolver.model.audit_table import TableAudit
from deltaresolver.planning.lake.lake import Lake
from deltaresolver.planning.lake.read_lake import read_lake
from deltaresolver.resolution.explain.phrases import counted

Place = str | os.PathLike[str]
UNREADABLE_ROOT = "unreadable-root"
"""The name in the answer of `Audit.failed_on` for a root that could not be searched."""


@attrs.frozen(slots=True, eq=False, repr=False)
class Audit:
    """An audit: what `deltaresolver audit --json` writes, one table at a time.

    Without a file of its own the document lies in a temporary folder, which is removed with this object.
    """

    _audited: LakeAudited

    def __repr__(self) -> str:
        return f"Audit({counted(self.head.summary.tables, 'table')}, {str(self.path)!r})"

    @property
    def head(self) -> LakeAudit:
        """Everything but the tables: the summary, what to do first, rules, clients, regressions, roots."""
        return self._audited.document.head

    @property
    def path(self) -> Path:
        """The file that has the document."""
        return self._audited.document.path

    def tables(self) -> Iterator[TableAudit]:
        """Every table, one at a time, sorted by location; starts anew each time it is called."""
        return self._audited.document.tables()

    def failed_on(self, *names: str) -> tuple[str, ...]:
        """Which of `names` were found: rules, severities (the graver ones count too), and `regression`, as `--fail-on`.

        `unreadable-root` comes first where a root could not be searched, whatever was asked: nothing is known of the
        tables in it. Raises `CommandUsageError` for a name that is neither a rule nor a severity.
        """
        check_fail_on(names, rule_names(), asked_by="")
        found = set(self._audited.tally.fails(name for name in names if name != REGRESSION))
        if self.head.regressions:
            found.add(REGRESSION)
        unread = (UNREADABLE_ROOT,) if any(root.error for root in self.head.roots) else ()
        return (*unread, *(name for name in names if name in found))

    def to_json(self) -> dict[str, Any]:
        """The whole document as data, the shape `--json` prints; of a large lake, prefer `tables`."""
        document: dict[str, Any] = msgspec.json.decode(self.path.read_bytes())
        return document

    def write_html(self, path: Place) -> None:
        """Write the report: one HTML file that needs no network. Raises `ReportPackageMissingError`."""
        from deltaresolver.audit.report import render

        render.check(os.fspath(path), {})
        render.write(self._audited.document, os.fspath(path), {})

    def append_to(self, location: Place, storage_options: Mapping[str, str] | None = None) -> None:
        """Append the audit to a Delta table, a row a table; one that has it already stays as it is.

        Raises `AuditTableError` for a place that cannot take an audit, and what transactions and the storage raise.
        """
        from deltaresolver.audit.report import delta_table

        delta_table.append(self._audited.document, os.fspath(location), dict(storage_options or {}))


def audit(  # noqa: PLR0913 - each argument is a part of the question
    roots: Place | Iterable[Place] = (),
    clients: str | Iterable[str] = (),
    *,
    tables: Place | Iterable[Place] = (),
    lists: Place | Iterable[Place] = (),
    since: Place | Audit | None = None,
    file: Place | None = None,
    lake: Place | None = None,
    storage_options: Mapping[str, str] | None = None,
    deep: bool = False,
    history: int = 1000,
    table_seconds: float | None = None,
    table_megabytes: int | None = None,
    workers: int = 0,
    spark: Any = None,
    progress: Progress = no_progress,
) -> Audit:
    """Audit every table below the roots, and those named: protocols, features, clients locked out, health.

    A root is a folder, an object store prefix or a catalog (`unity:URL`, `glue:REGION`, `hive:thrift://HOST:9083`,
    `catalog:NAME`); `tables` are locations of single tables, `lists` files with one a line. A table that cannot be
    read is a finding, and a root that cannot be searched is in `head.roots`: neither raises.

    `clients` are releases to ask about, such as `"trino@468"`. `since` is an earlier audit, or its file, that
    regressions are reported against. The document is kept in `file`, where one is given; an audit that was interrupted
    then goes on where it stopped when it is called the same way. `lake` is a lake.toml to go by; none is looked for.
    Its tables are audited if nothing else is named. The other arguments are options of the command of the same names;
    with `spark`, a SparkSession, tables are read by its tasks, else by `workers` processes here, 0 being one for each
    processor. `progress` is called with the number of tables done and the number of all.

    Raises `CommandUsageError` if there is nothing to audit, `OutputUnwritableError` for a `file` that cannot be
    written, `UnknownClientError` and its like for a client, `LakeFileMissingError` and `LakeFileInvalidError` for
    `lake`, `AuditFileError` for `since`, and `AuditResumeError` if `file` was begun by a call that differs.
    """
    lake_file = None if lake is None else read_lake(lake, rule_names())
    kept = None if file is None else os.fspath(file)
    storage = dict(() if lake_file is None else lake_file.storage_options()) | dict(storage_options or {})
    request = AuditRequest(
        roots=_places(roots),
        lists=_places(lists),
        tables=_places(tables),
        clients=_clients(clients),
        storage=tuple(sorted(storage.items())),
        since=None if since is None else os.fspath(since.path if isinstance(since, Audit) else since),
        history_limit=history,
        deep=deep,
        lake=lake_file,
        kept_as=kept,
        budget=budget_for(lake_file, deep=deep, seconds=table_seconds, megabytes=table_megabytes),
    )
    request = _with_tables(request, lake_file)
    runner = _runner(workers, spark)
    if kept is not None:
        _check_place(Path(kept))
        return Audit(audit_lake(request, runner, Path(f"{kept}.work"), Path(kept), progress))
    return _unkept(request, runner, progress)


def _unkept(request: AuditRequest, runner: Runner, progress: Progress) -> Audit:
    """An audit whose document is in a temporary folder, which is removed together with the object."""
    folder = tempfile.mkdtemp(prefix="deltaresolver-audit-")
    try:
        made = Audit(audit_lake(request, runner, Path(folder, "work"), Path(folder, "audit.json"), progress))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(made, shutil.rmtree, folder, ignore_errors=True)
    return made


def _with_tables(request: AuditRequest, lake: Lake | None) -> AuditRequest:
    if request.roots or request.lists or request.tables:
        return request
    if lake is None or not lake.tables:
        raise CommandUsageError(
            "There is nothing to audit.", fix="Give roots, tables, lists, or a lake.toml that names tables."
        )
    return attrs.evolve(request, tables=tuple(where for _, where in lake.tables))


def _places(given: Place | Iterable[Place]) -> tuple[str, ...]:
    several = (given,) if isinstance(given, str | os.PathLike) else given
    return tuple(os.fspath(one) for one in several)


def _clients(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _runner(workers: int, spark: Any) -> Runner:
    if spark is not None:
        from deltaresolver.spark.audit_tasks import SparkRunner

        return SparkRunner(spark)
    return InProcess() if workers == 1 else Processes(workers)


def _check_place(place: Path) -> None:
    """Raise before the audit the errors that writing its document would raise after it."""
    if place.is_dir():
        obstacle: str | None = f"{place} is a folder"
    elif is_stream(place):
        obstacle = f"{place} is a device or a pipe, where nothing stays"
    else:
        obstacle = find_obstacle(place)
    if obstacle is not None:
        raise OutputUnwritableError(
            f"The audit cannot be written to {place}: {obstacle}.",
            fix="Give a file that can be written.",
            details={"path": str(place), "reason": obstacle},
        )
