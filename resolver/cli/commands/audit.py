"""`deltaresolver audit`: every table of a lake, what is wrong, who is locked out, and what to do first."""

from __future__ import annotations

import contextlib
import functools
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deltaresolver.cli.completion import complete_clients, complete_folders, complete_paths, complete_severities
from deltaresolver.cli.error_output import print_failure, print_notes
from deltaresolver.cli.inputs.lake_input import current_lake, located
from deltaresolver.cli.inputs.property_changes import read_pairs
from deltaresolver.cli.inputs.table_to_change import storage_option
from deltaresolver.cli.inputs.written_file import STDOUT, check_written_file
from deltaresolver.cli.output import counted
from deltaresolver.cli.signals import InterruptedWorkError
from deltaresolver.errors import CommandUsageError

if TYPE_CHECKING:
    from deltaresolver.audit.audit_lake import AuditRequest
    from deltaresolver.planning.lake.lake import Lake

EXAMPLES = """\b
Examples:
  deltaresolver audit /lake/
  deltaresolver audit /lake/ --client trino@468 --client delta-spark@4.0.0 --json audit.json
  deltaresolver audit /lake/ --fail-on error --fail-on protocol-in-properties
"""


@click.command("audit", epilog=EXAMPLES)
@click.argument("roots", nargs=-1, metavar="[ROOT]...", shell_complete=complete_folders)
@click.option(
    "--list",
    "lists",
    multiple=True,
    metavar="FILE",
    help="Tables from a file, one a line: location, and after tabs name and owner. May be repeated.",
    shell_complete=complete_paths,
)
@click.option(
    "--catalog",
    "catalogs",
    multiple=True,
    metavar="NAME",
    help="Tables of a catalog: a name that Spark knows, or a root such as glue:eu-west-1. May be repeated.",
)
@click.option(
    "--client",
    "clients",
    multiple=True,
    metavar="CLIENT",
    help="Ask about a release, such as trino@468.",
    shell_complete=complete_clients,
)
@click.option(
    "--since", metavar="FILE", help="Report what is worse than in this earlier audit.", shell_complete=complete_paths
)
@click.option(
    "--fail-on",
    multiple=True,
    metavar="WHAT",
    help="Exit 1 on a rule, a severity, or regression.",
    shell_complete=complete_severities,
)
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    callback=check_written_file,
    help="Write the audit as JSON; - is standard output.",
)
@click.option(
    "--html",
    "html_file",
    metavar="FILE",
    callback=check_written_file,
    help="Write the report: one HTML file that needs no network.",
)
@click.option("--table", "table_path", metavar="PATH", help="Append the audit to a Delta table, a row a table.")
@click.option("--spark", is_flag=True, help="Audit on Spark: the session there is, or a new one.")
@click.option("--workers", type=click.IntRange(min=0), default=0, help="Processes here.  [default: one a processor]")
@click.option("--history", type=click.IntRange(min=1), default=1000, show_default=True, help="Commits to look back.")
@click.option("--deep", is_flag=True, help="Read checkpoints to the last byte, and list and count the files.")
@click.option(
    "--table-seconds",
    type=click.FloatRange(min=0.1),
    help="How long one table may take before it is given up, a finding.  [default: 120; with --deep 600]",
)
@click.option(
    "--table-megabytes",
    type=click.IntRange(min=64),
    help="How much memory one table may take before it is given up, a finding.  [default: 4096]",
)
@storage_option
def command(
    roots: tuple[str, ...], lists: tuple[str, ...], catalogs: tuple[str, ...], workers: int, **options: Any
) -> int:
    """Audit every table below the roots: protocols, features, clients locked out, health.

    A root is a folder, an object store prefix, or a catalog: unity:URL such as unity:http://localhost:8080/main.sales,
    glue:REGION, hive:thrift://HOST:9083, or catalog:NAME and spark.catalog, the current one, of a Spark session;
    the last three are listed through Spark. Without roots, the tables that the lake.toml names. A table that
    cannot be read is a finding. With --json an audit that was interrupted goes on where it stopped. Rules and
    severities (info, warning, error) can be named in --fail-on.
    """
    from deltaresolver.audit import audit_lake as lake
    from deltaresolver.audit.fail_on import check_fail_on, rule_names
    from deltaresolver.cli.audit_summary import print_summary

    rules = rule_names()
    lake_file = current_lake(rules)
    roots = (*map(located, roots), *map(_catalog_root, catalogs))
    tables = () if roots or lists or lake_file is None else tuple(where for _, where in lake_file.tables)
    if not (roots or lists or tables):
        raise CommandUsageError("There is nothing to audit.", fix="Give a folder of tables, or a --list file.")
    check_fail_on(options["fail_on"], rules)
    writers = _writers(options)
    kept = _kept_file(options["json_file"])
    request = _request(roots, lists, tables, lake_file, kept, options)
    with contextlib.ExitStack() as stack:
        target, work = _places(kept, stack)
        runner = _runner(workers, options["spark"], roots)
        with counted("auditing", "tables") as progress, _going_on(work, is_kept=kept is not None):
            audited = lake.audit_lake(request, runner, work, target, progress)
        for write in writers:
            write(audited.document)
        if kept is None:
            _hand_on(target, options["json_file"])
        if options["json_file"] != STDOUT:
            print_summary(audited.document.head)
        return _conclude(audited, options)


def _request(
    roots: tuple[str, ...],
    lists: tuple[str, ...],
    tables: tuple[str, ...],
    lake_file: Lake | None,
    kept: str | None,
    options: dict[str, Any],
) -> AuditRequest:
    from deltaresolver.audit.audit_lake import AuditRequest
    from deltaresolver.audit.bounded.budget import budget_for

    seconds, megabytes = options["table_seconds"], options["table_megabytes"]
    return AuditRequest(
        roots=roots,
        lists=lists,
        tables=tables,
        clients=options["clients"],
        storage=tuple(sorted(read_pairs(options["storage"], "--storage").items())),
        since=options["since"],
        history_limit=options["history"],
        deep=options["deep"],
        lake=lake_file,
        kept_as=kept,
        budget=budget_for(lake_file, deep=options["deep"], seconds=seconds, megabytes=megabytes),
    )


@contextlib.contextmanager
def _going_on(work: Path, *, is_kept: bool) -> Iterator[None]:
    """Raise `InterruptedWorkError` for Ctrl-C, with what is kept and how to go on."""
    try:
        yield
    except KeyboardInterrupt as error:
        if not is_kept or not work.is_dir():
            told = "interrupted, and nothing is kept; with --json FILE an audit that was interrupted can go on"
        else:
            told = f"interrupted; {work} has what is done, and the same command goes on from there"
        raise InterruptedWorkError(told) from error


def _kept_file(json_file: str | None) -> str | None:
    """The file in which the document stays; a device or a pipe is only written to."""
    from deltaresolver.audit.document.output_place import is_stream

    return None if json_file is None or json_file == STDOUT or is_stream(json_file) else json_file


def _hand_on(document: Path, json_file: str | None) -> None:
    """Copy the document to where it does not stay."""
    if json_file is None:
        return
    with document.open(encoding="utf-8") as lines:
        if json_file == STDOUT:
            shutil.copyfileobj(lines, sys.stdout)
        else:
            with Path(json_file).open("w", encoding="utf-8") as stream:
                shutil.copyfileobj(lines, stream)


def _places(kept: str | None, stack: contextlib.ExitStack) -> tuple[Path, Path]:
    """Where the document and the work folder go; a folder that is removed, where no file was asked for."""
    if kept is not None:
        _check_document_place(Path(kept))
        return Path(kept), Path(f"{kept}.work")
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="deltaresolver-audit-")))
    return folder / "audit.json", folder / "work"


def _check_document_place(place: Path) -> None:
    """Raise before the audit what its writing would raise after it."""
    from deltaresolver.audit.document.output_place import find_obstacle

    obstacle = f"{place} is a folder" if place.is_dir() else find_obstacle(place)
    if obstacle is not None:
        raise CommandUsageError(
            f"The audit cannot be written to {place}: {obstacle}.",
            fix="Give --json a file that can be written.",
            details={"path": str(place), "reason": obstacle},
        )


def _catalog_root(name: str) -> str:
    """The root that `--catalog` means."""
    from deltaresolver.audit.catalogs.listed import is_catalog

    return name if is_catalog(name) else f"catalog:{name}"


def _runner(workers: int, on_spark: bool, roots: tuple[str, ...]) -> Any:
    if on_spark:
        from deltaresolver.audit.catalogs.spark_catalogs import settings_for
        from deltaresolver.spark import audit_tasks as tasks

        return tasks.SparkRunner(tasks.session(settings_for(roots)))
    from deltaresolver.audit.scan import runners

    return runners.InProcess() if workers == 1 else runners.Processes(workers)


def _writers(options: dict[str, Any]) -> list[Callable[[Any], None]]:
    """What will write the outputs asked for; a place that cannot take them is found before the audit begins."""
    storage = read_pairs(options["storage"], "--storage")
    writers: list[Callable[[Any], None]] = []
    if (place := options["html_file"]) is not None:
        from deltaresolver.audit import report

        report.check(place, storage)
        writers.append(functools.partial(report.write, target=place, storage=storage))
    if (place := options["table_path"]) is not None:
        from deltaresolver.audit.report import delta_table

        delta_table.check(place, storage)
        writers.append(functools.partial(delta_table.write, target=place, storage=storage))
    return writers


def _expired_waivers() -> list[str]:
    lake = current_lake()
    expired = () if lake is None else lake.expired(datetime.now(UTC).date())
    return [f"{one.rule} is no longer ignored: that ended on {one.expires} ({one.reason})" for one in expired]


def _conclude(audited: Any, options: dict[str, Any]) -> int:
    """Errors and notes on stderr, and the exit code."""
    from deltaresolver.audit.fail_on import REGRESSION

    head = audited.document.head
    failed = audited.tally.fails(name for name in options["fail_on"] if name != REGRESSION)
    if REGRESSION in options["fail_on"] and head.regressions:
        failed.append(REGRESSION)
    for root in head.roots:
        if root.error:
            code, _, message = root.error.partition(": ")
            print_failure(code, message, root.fix or "Check the root.")
    notes = [f"{root.location}: no Delta table was found" for root in head.roots if not (root.tables or root.error)]
    notes += [
        f"written: {options[key]}"
        for key in ("json_file", "html_file", "table_path")
        if options[key] not in (None, STDOUT)
    ]
    notes += _expired_waivers()
    notes += [f"failed on {', '.join(failed)}"] if failed else []
    print_notes(notes)
    if any(root.error for root in head.roots):
        return 2
    return 1 if failed else 0
