"""`deltaresolver check`: the gate for pull requests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deltaresolver.cli.completion import complete_clients, complete_folders, complete_paths
from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.inputs.clients_input import clients_file_option
from deltaresolver.cli.inputs.lake_input import current_lake, lake_clients_files
from deltaresolver.cli.inputs.property_changes import read_pairs
from deltaresolver.cli.inputs.table_to_change import opening_options
from deltaresolver.cli.output import print_wrapped
from deltaresolver.errors import CommandUsageError

if TYPE_CHECKING:
    from deltaresolver.check.run import CheckRequest
    from deltaresolver.planning.lake.lake import Lake

EXAMPLES = """\b
Examples:
  deltaresolver check ddl/
  deltaresolver check ddl/ --require trino@413 --table main.sales.orders=/lake/orders
  deltaresolver check . --format sarif --output deltaresolver.sarif
  deltaresolver check . --write-baseline .deltaresolver-baseline.json
"""

FORMATS = ("text", "markdown", "json", "sarif", "junit", "github")


@click.command("check", epilog=EXAMPLES)
@click.argument("paths", nargs=-1, metavar="[FILE | FOLDER]...", shell_complete=complete_folders)
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="NAME=PATH",
    help="A table, or a file with its metadata. May be repeated.",
)
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="CLIENT@VERSION[:read|:append]",
    help="This client must go on working with every table. May be repeated.",
    shell_complete=complete_clients,
)
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="The output format."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--output", metavar="FILE", help="Write it to a file, and a summary to the terminal.")
@click.option("--baseline", metavar="FILE", help="Leave out the findings in this file.", shell_complete=complete_paths)
@click.option("--write-baseline", metavar="FILE", help="Write all current findings to a baseline, and exit with 0.")
@click.option(
    "--fail-on",
    type=click.Choice(["info", "warning", "error"]),
    default="error",
    show_default=True,
    help="Exit 1 on a finding of at least this severity.",
)
@clients_file_option
@opening_options
def command(paths: tuple[str, ...], form: str, as_json: bool, **options: Any) -> int:
    """What scripts in a repository would do to Delta tables: the gate for pull requests.

    Looks into SQL scripts, properties of dbt models (YAML, the head of a model, target/manifest.json) and metadata
    as JSON, in the order of their names, and carries the changes out on copies of the tables' metadata; nothing is
    written. Clients that the lake.toml requires, or --require, must not lose anything; tables are found by the names
    in its [tables]. Without required clients it warns of what the newest release of every client would lose.
    """
    from deltaresolver.check.baseline import write_baseline
    from deltaresolver.check.formats.choose import FORMATS as WRITERS
    from deltaresolver.check.found import RULES
    from deltaresolver.check.run import check
    from deltaresolver.clients.own_clients import knowledge_with
    from deltaresolver.model.audit_finding import Severity
    from deltaresolver.planning.lake.lake import Lake

    lake = current_lake(frozenset(RULES) | _audit_rules()) or Lake("")
    today = datetime.now(UTC).date()
    request = _request(paths, lake, options)
    result = check(request, knowledge_with((*lake_clients_files(), *options["clients_files"])), today)
    written = WRITERS["json" if as_json else form](result)
    if options["output"] is not None:
        _write(options["output"], written + "\n")
    if options["output"] is not None or (form == "text" and not as_json):
        _print_lines(WRITERS["text"](result))
    else:
        print(written)
    notes = [*result.notes, *_ended(lake, today)]
    if options["write_baseline"] is not None:
        write_baseline(options["write_baseline"], [*result.findings, *(one.finding for one in result.borne)])
        print_notes([*notes, f"written: {options['write_baseline']}"])
        return 0
    print_notes(notes)
    return 1 if result.fails(Severity(options["fail_on"])) else 0


def _request(paths: tuple[str, ...], lake: Lake, options: Mapping[str, Any]) -> CheckRequest:
    from deltaresolver.check.baseline import Baseline, read_baseline
    from deltaresolver.check.run import CheckRequest

    return CheckRequest(
        paths or (".",),
        lake,
        read_pairs(options["tables"], "--table"),
        options["required"],
        read_pairs(options["storage"], "--storage"),
        read_pairs(options["session"], "--session"),
        Baseline() if options["baseline"] is None else read_baseline(options["baseline"]),
    )


def _print_lines(text: str) -> None:
    """Findings and changes; on a terminal each line that is wrapped still begins with its place."""
    for line in text.split("\n"):
        print_wrapped(line, "    " if line[:1].strip() else " " * 9)


def _ended(lake: Any, today: date) -> list[str]:
    return [f"{one.rule} is no longer ignored: that ended on {one.expires}" for one in lake.expired(today)]


def _audit_rules() -> frozenset[str]:
    from deltaresolver.audit.scan.rule_set import default_rules

    return frozenset(rule.name for rule in default_rules().rules)


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandUsageError(
            f"{file} cannot be written: {error.strerror}.",
            fix="Give --output a file that can be written.",
            details={"path": file, "reason": error.strerror},
        ) from error
