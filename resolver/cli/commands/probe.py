"""`deltaresolver probe`: measure what a release of a client does with real tables."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import click

from deltaresolver.cli.completion import complete_clients, complete_folders
from deltaresolver.cli.inputs.clients_input import clients_file_option
from deltaresolver.cli.inputs.lake_input import lake_clients_files
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_fields, print_wrapped
from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.measured.measured_runs import run_release
from deltaresolver.clients.own_clients import knowledge_with
from deltaresolver.clients.probe.measure import measure, readable_here, shipped_tables
from deltaresolver.clients.probe.results import store
from deltaresolver.clients.probe.trial import WRONG, Trial
from deltaresolver.clients.shipped import own_results_folder
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import OutputUnwritableError
from deltaresolver.resolution.explain.visible_text import visible_line

EXAMPLES = """\b
Examples:
  deltaresolver probe delta-rs-python@1.6.2
  deltaresolver probe delta-rs-python@1.6.2 --path pyarrow --table /lake/events
  deltaresolver probe 'polars@1.44.2 (deltalake 1.6.6)' --json
"""

SECONDS = 120
_DID = {"ok": Outcome.WORKS, "refused": Outcome.REFUSES, "crash": Outcome.REFUSES, "wrong": Outcome.SILENTLY_WRONG}
"""What an outcome of a run means for a verdict."""


@attrs.frozen
class Surprise:
    """An act that came out otherwise than foretold."""

    table: str
    act: Act
    foretold: Outcome
    found: Outcome


@click.command("probe", epilog=EXAMPLES)
@click.argument("client", metavar="CLIENT@VERSION", shell_complete=complete_clients)
@click.option(
    "--path", metavar="ENGINE", help="Which of the client's ways to a table to measure, where it has several."
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="FOLDER",
    help="Measure with copies of this table, and not with the shipped ones. May be repeated.",
    shell_complete=complete_folders,
)
@click.option("--shipped", "with_shipped", is_flag=True, help="With --table: measure with the shipped tables too.")
@click.option(
    "--environment", metavar="FOLDER", help="Where to install the client, to be used again.  [default: thrown away]"
)
@click.option("--store", "folder", metavar="FOLDER", help="Where to keep the result.  [default: your own data folder]")
@click.option("--dry-run", is_flag=True, help="Measure and print, and keep nothing.")
@click.option(
    "--seconds", type=click.IntRange(min=1), default=SECONDS, show_default=True, help="For one act, before it is ended."
)
@clients_file_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the result is in it as it is kept.")
def command(
    *,
    client: str,
    path: str | None,
    tables: tuple[str, ...],
    with_shipped: bool,
    environment: str | None,
    folder: str | None,
    dry_run: bool,
    seconds: int,
    clients_files: tuple[str, ...],
    as_json: bool,
) -> int:
    """Measure what a release of a client does with tables: open, read, append.

    The release is installed in an environment of its own, from the package index, and works on copies. What it reads
    and what it leaves behind is compared with the table's own rows. The result is kept, and `impact`, `plan`, `audit`
    and `clients` call it measured from then on. Exits with 1 if anything went wrong without an error.
    """
    knowledge = knowledge_with((*lake_clients_files(), *clients_files))
    release = _release(client, path, knowledge)
    foretelling = ClientKnowledge(
        knowledge.catalogue, knowledge.measurements.without(release.client.id, release.version, release.path)
    )
    with _folder(environment) as where, tempfile.TemporaryDirectory() as unpacked:
        subjects = [Path(table) for table in tables]
        if with_shipped or not tables:
            subjects += _shipped(Path(unpacked))
        result = measure(release, subjects, where, seconds, _progress)
    kept = None if dry_run else _keep(result, own_results_folder() if folder is None else Path(folder))
    if as_json:
        print_answer("probe", {"result": result})
    else:
        _show(result, surprises(result, foretelling), kept)
    return 1 if any(run[act.value] == WRONG for run in result["runs"] for act in Act) else 0


def _shipped(folder: Path) -> list[Path]:
    shipped = shipped_tables(folder)
    readable = readable_here(shipped)
    if left_out := len(shipped) - len(readable):
        tables = "1 table" if left_out == 1 else f"{left_out} tables"
        click.echo(f"note: {tables} left out, which this pyarrow cannot read; a newer one can", err=True)
    return readable


def _release(client: str, path: str | None, knowledge: ClientKnowledge) -> ClientAtVersion:
    if path is not None:
        name, at, version = client.partition("@")
        client = f"{name.partition('/')[0]}/{path}{at}{version}"
    return knowledge.catalogue.parse(client)


@contextlib.contextmanager
def _folder(named: str | None) -> Iterator[Path]:
    if named is not None:
        Path(named).mkdir(parents=True, exist_ok=True)
        yield Path(named)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _progress(done: int, every: int, trial: Trial) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == every else "\r"
        print(f"{done} of {every} tables: {visible_line(trial.table):50}", end=end, file=sys.stderr, flush=True)


def _keep(result: dict[str, Any], folder: Path) -> Path:
    try:
        return store(result, folder)
    except OSError as error:
        raise OutputUnwritableError(
            f"The result cannot be kept in {folder}: {error.strerror}.",
            fix="Name a folder that can be written to with --store, or keep nothing with --dry-run.",
            details={"path": str(folder), "reason": str(error), "result": json.dumps(result)[:2000]},
        ) from error


def surprises(result: dict[str, Any], knowledge: ClientKnowledge) -> list[Surprise]:
    """Where the release did otherwise than this knowledge foretells."""
    release = run_release(result["client"], result["version"], result["engine"], knowledge.catalogue)
    found = []
    for run in result["runs"]:
        needs = TableNeeds(frozenset(run["demands"]))
        for act in Act:
            if run[act.value] is not None:
                foretold = knowledge.verdict(release, needs, act).outcome
                if foretold is not _DID[run[act.value]]:
                    found.append(Surprise(run["table"], act, foretold, _DID[run[act.value]]))
    return found


def _show(result: dict[str, Any], found: list[Surprise], kept: Path | None) -> None:
    packages = ", ".join(f"{name} {version}" for name, version in result["packages"].items())
    tried = sum(run[act.value] is not None for run in result["runs"] for act in Act)
    fields = [
        ("client", f"{result['client']} {result['version']} by {result['engine']}"),
        ("installed", packages),
        ("machine", result["machine"]),
        ("tables", str(len(result["runs"]))),
        *((act.value, _counts(result, act)) for act in Act),
        ("foretold", f"{tried - len(found)} of {tried} acts came out as foretold"),
        ("kept", "no" if kept is None else str(kept)),
    ]
    print_fields(fields)
    for run in result["runs"]:
        for act in Act:
            if run[act.value] == WRONG:
                print_wrapped(
                    f"!! {run['table']}, {act.value}: silently wrong: {run['why'].get(act.value, '')}",
                    "   ",
                    colour="red",
                )
    for one in found:
        print_wrapped(f"{one.table}, {one.act.value}: {one.found.value}, foretold: {one.foretold.value}", "   ")
    if len(result["runs"]) <= 3:
        for run in result["runs"]:
            for name, why in run["why"].items():
                print_wrapped(f"{run['table']}, {name}: {run[name]}: {why}", "   ")


def _counts(result: dict[str, Any], act: Act) -> str:
    counted = Counter(_DID[run[act.value]].value for run in result["runs"] if run[act.value] is not None)
    return ", ".join(f"{many} {what}" for what, many in sorted(counted.items())) or "not tried"
