"""`deltaresolver conformance`: compare with what other implementations answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from deltaresolver.cli.json_answer import print_answer
from deltaresolver.errors import CommandUsageError
from deltaresolver.resolution.explain.visible_text import visible
from deltaresolver.testing.conformance.report import ConformanceReport

EXAMPLES = """\b
Examples:
  deltaresolver conformance resolver ../shared/conformance/resolver.jsonl.gz
  deltaresolver conformance conflicts ../shared/conformance/conflicts.jsonl.gz
  deltaresolver conformance ddl ../shared/conformance/ddl.jsonl.gz
  deltaresolver conformance tables ./tables --json
"""


@click.group("conformance", epilog=EXAMPLES)
def command() -> None:
    """Compare the answers of this library with recorded ones. Exits with 1 if any differs unexpectedly."""


show_option = click.option(
    "--show", type=click.IntRange(min=0), default=10, show_default=True, help="How many differences to print."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, with every difference.")


@command.command("resolver")
@click.argument("path")
@show_option
@json_option
def resolver(path: str, show: int, as_json: bool) -> int:
    """The resolver's protocols and errors.

    PATH holds the recorded cases as JSON lines, gzipped or not.
    """
    return finish(_run("resolver", _existing(path)), show, as_json=as_json)


@command.command("conflicts")
@click.argument("path")
@show_option
@json_option
def conflicts(path: str, show: int, as_json: bool) -> int:
    """One transaction against the commits that won before it.

    PATH holds the recorded cases as JSON lines, gzipped or not.
    """
    return finish(_run("conflicts", _existing(path)), show, as_json=as_json)


@command.command("ddl")
@click.argument("path")
@click.option(
    "--engine",
    type=click.Choice(["none", "spark"]),
    default="none",
    show_default=True,
    help="What carries the statements out: this library alone, or with Spark, rows included.",
)
@show_option
@json_option
def ddl(path: str, engine: str, show: int, as_json: bool) -> int:
    """Statements that create and alter tables and drop features.

    PATH holds the recorded sequences as JSON lines, gzipped or not.
    """
    return finish(_run("ddl-spark" if engine == "spark" else "ddl", _existing(path)), show, as_json=as_json)


@command.command("tables")
@click.argument("directory")
@click.option("--data", is_flag=True, help="Read the rows too, through Spark.")
@show_option
@json_option
def tables(directory: str, data: bool, show: int, as_json: bool) -> int:
    """Snapshots of recorded tables, and with --data their rows.

    DIRECTORY is the unpacked folder that holds `tables` and `expect`.
    """
    return finish(_run("tables-data" if data else "tables", _existing(directory)), show, as_json=as_json)


def _existing(path: str) -> Path:
    if Path(path).exists():
        return Path(path)
    raise CommandUsageError(
        f"There is nothing at {path}.", fix="Give the path of the recorded answers.", details={"path": path}
    )


def _run(kind: str, path: Path) -> ConformanceReport:
    try:
        report = _runner(kind)(path)
    except ModuleNotFoundError as error:
        raise CommandUsageError(
            f"The {kind} runner needs {error.name}, which is not installed.",
            fix="Install a release that has it, or what it needs: pip install 'deltaresolver[dev]'.",
            details={"kind": kind, "missing": error.name},
        ) from error
    if report.passed or report.failures or report.known_differences:
        return report
    raise CommandUsageError(
        f"There are no recorded {kind} cases at {path}.",
        fix="Give the file or the unpacked folder of recorded answers itself.",
        details={"kind": kind, "path": str(path)},
    )


def _print_known(report: ConformanceReport) -> None:
    """Known differences by their reason, which many share."""
    by_reason: dict[str, list[str]] = {}
    for known in report.known_differences:
        by_reason.setdefault(known.reason, []).append(known.id)
    for reason, names in by_reason.items():
        print(visible(f"  known, {len(names):,}: {reason}"))


def finish(report: ConformanceReport, show: int, *, as_json: bool) -> int:
    """Print a report; the exit code."""
    if as_json:
        print_answer("conformance", report.to_json())
    else:
        print(visible(report.summary()))
        for failure in report.failures[:show]:
            print(visible(f"  {failure.id}: {failure.detail}"))
        if len(report.failures) > show:
            print(f"  and {len(report.failures) - show:,} more; --show prints them")
        _print_known(report)
    return 0 if report.is_success else 1


def _runner(kind: str) -> Callable[[Path], ConformanceReport]:
    """The runner of a kind, and no other: each loads what it compares with."""
    match kind:
        case "resolver":
            from deltaresolver.testing.conformance.resolver import run_resolver

            return run_resolver
        case "conflicts":
            from deltaresolver.testing.conformance.conflicts import run_conflicts

            return run_conflicts
        case "ddl":
            from deltaresolver.testing.conformance.ddl import run_ddl

            return run_ddl
        case "ddl-spark":
            from deltaresolver.testing.conformance.ddl_on_spark import run_ddl_on_spark

            return run_ddl_on_spark
        case "tables":
            from deltaresolver.testing.conformance.tables import run_tables

            return run_tables
    from deltaresolver.testing.conformance.tables_data import run_tables_data

    return run_tables_data
