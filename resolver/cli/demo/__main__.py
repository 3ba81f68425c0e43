"""`python -m deltaresolver.cli.demo [FOLDER] [--no-spark]`: what deltaresolver is for, shown on one screen.

The screen has the story; everything in full goes to files in FOLDER.
"""

from __future__ import annotations

import shutil
import sys
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from deltaresolver.cli.demo.lake import CLIENT, DemoLake, Telling, build_lake, tell_all
from deltaresolver.cli.error_output import is_coloured, print_error
from deltaresolver.cli.output import print_wrapped
from deltaresolver.errors import DeltaResolverError

DEFAULT_FOLDER = "build/demo"


@click.command("demo")
@click.argument("folder", default=DEFAULT_FOLDER)
@click.option("--no-spark", is_flag=True, help="Make tables without rows, which takes neither Spark nor Java.")
def command(folder: str, no_spark: bool) -> None:
    """Build a small lake in FOLDER, and show what deltaresolver answers about it."""
    started = time.monotonic()
    _print_title("deltaresolver: why a table needs its protocol, who breaks, and how to get back")
    lake = build_lake(Path(folder), _progress if sys.stdout.isatty() else None, with_rows=not no_spark)
    _clear_progress()
    telling = tell_all(lake)
    _show_tables(lake, telling, time.monotonic() - started)
    _show_impact(telling)
    _show_plan(telling)
    _show_audit(telling)
    _print_title("\nNow you")
    print(f"  {_own_command()} explain {lake.tables['deleted']}")
    print(f"  in full  {telling.texts}")
    print(f"  report   {telling.report.resolve().as_uri()}")
    _open_report(telling.report)


def _progress(what: str) -> None:
    """One line on the terminal, which the next one replaces."""
    print(f"\r\x1b[K  {what} ...", end="", flush=True)


def _clear_progress() -> None:
    if sys.stdout.isatty():
        print("\r\x1b[K", end="", flush=True)


def _show_tables(lake: DemoLake, telling: Telling, seconds: float) -> None:
    how = "by Spark with no Delta JAR" if lake.has_rows else "without Spark and without rows"
    _print_title(f"\n1. A lake of {len(lake.tables)} tables, written {how}, in {seconds:.0f} s")
    width = max(map(len, lake.tables))
    for name, why in telling.reasons.items():
        print_wrapped(f"  {name.ljust(width)}  {why}", " " * (width + 4))


def _show_impact(telling: Telling) -> None:
    _print_title("\n2. Who breaks, if deletion vectors are switched on for `plain`?")
    for line in telling.impact:
        print_wrapped(f"  {line}", " " * 4)


def _show_plan(telling: Telling) -> None:
    _print_title(f"\n3. How can {CLIENT} append to `deleted` again?")
    for line in telling.plan:
        print_wrapped(f"  {line}", " " * 5)


def _show_audit(telling: Telling) -> None:
    _print_title("\n4. What does an audit of all tables find?")
    for line in telling.audit:
        print_wrapped(f"  {line}", " " * 4)


def _own_command() -> str:
    """How to call deltaresolver from here: in a clone it is in the environment that nobody has activated."""
    beside = Path(sys.executable).with_name("deltaresolver")
    if shutil.which("deltaresolver") is not None or not beside.exists():
        return "deltaresolver"
    return str(beside.relative_to(Path.cwd())) if beside.is_relative_to(Path.cwd()) else str(beside)


def _open_report(report: Path) -> None:
    """In a browser, where somebody looks on and there is one to open."""
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        return
    opened = _quietly(lambda: webbrowser.open(report.resolve().as_uri()))
    print("  (opened in your browser)" if opened else "  Open it in a browser.")


def _quietly(act: Callable[[], bool]) -> bool:
    """Whether an act that the demo can do without went well."""
    try:
        return act()
    except (webbrowser.Error, OSError):
        return False


def _print_title(title: str) -> None:
    print(click.style(title, fg="yellow", bold=True) if is_coloured(sys.stdout) else title)


def main(arguments: list[str] | None = None) -> Any:
    """Run the demo; exit code 2 with a message where it cannot run."""
    try:
        return command.main(arguments, "script/demo", standalone_mode=False)
    except DeltaResolverError as error:
        _clear_progress()
        print_error(error, as_json=False)
        return 2
    except click.UsageError as error:
        print(f"{error.format_message()}\nusage: script/demo [--no-spark] [FOLDER]", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
