"""`deltaresolver ui`: the what-if page, served on this machine alone."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from deltaresolver.cli.completion import complete_folders
from deltaresolver.cli.inputs.clients_input import clients_file_option
from deltaresolver.cli.inputs.json_input import described_by
from deltaresolver.cli.inputs.lake_input import lake_clients_files, located
from deltaresolver.cli.inputs.property_changes import read_pairs
from deltaresolver.cli.inputs.table_to_change import storage_option
from deltaresolver.cli.json_answer import answer_as_json
from deltaresolver.cli.unforeseen import package_missing
from deltaresolver.clients.own_clients import knowledge_with
from deltaresolver.errors import CommandUsageError

EXAMPLES = """\b
Examples:
  deltaresolver ui /lake/events
  deltaresolver ui /lake/ --port 8765
  deltaresolver ui
"""

MAX_TABLES = 10_000


@click.command("ui", epilog=EXAMPLES)
@click.argument("places", nargs=-1, metavar="[TABLE_PATH | LAKE]...", shell_complete=complete_folders)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port.  [default: a free one]")
@click.option("--allow-apply", is_flag=True, help="Let the page change tables, after asking.")
@click.option("--open/--no-open", "opens", default=True, help="Open a browser.  [default: open]")
@clients_file_option
@storage_option
@click.option("--json", "as_json", is_flag=True, help="Print the address as JSON.")
def command(
    places: tuple[str, ...], port: int, *, allow_apply: bool, opens: bool, as_json: bool, **options: Any
) -> int:
    """Try changes on a table in the browser: its protocol, reasons, clients and the way back, as you type.

    Give a table, or folders that hold tables; metadata can always be pasted. The page is served on 127.0.0.1, to
    whoever has the address that is printed. It writes nothing unless --allow-apply is given.
    """
    for package in ("starlette", "uvicorn"):
        if importlib.util.find_spec(package) is None:
            raise package_missing(package)
    storage = read_pairs(options["storage"], "--storage")
    paths = tuple(_tables(places, storage))
    knowledge = knowledge_with((*lake_clients_files(), *options["clients_files"]))
    import uvicorn

    from deltaresolver.ui.app import ServedTables, make_app
    from deltaresolver.ui.doorkeeper import Doorkeeper

    with contextlib.closing(_listening(port)) as listener:
        door = Doorkeeper(listener.getsockname()[1])
        apply = functools.partial(_apply, storage) if allow_apply else None
        app = make_app(ServedTables(paths, functools.partial(_open, storage), _paste, apply), knowledge, door)
        if as_json:
            click.echo(answer_as_json("ui", {"address": door.address, "tables": len(paths), "applies": allow_apply}))
        else:
            _tell_address(door.address, len(paths))
        if opens:
            click.launch(door.address)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
    return 0


def _tell_address(address: str, tables: int) -> None:
    click.echo(f"{tables:,} table{'' if tables == 1 else 's'}. Open this address, and keep it to yourself:")
    click.echo(f"  {address}")
    click.echo("Ctrl-C ends it.")


def _listening(port: int) -> socket.socket:
    from deltaresolver.ui.listener import listening

    try:
        return listening(port)
    except OSError as error:
        raise CommandUsageError(
            f"Port {port} cannot be used: {error.strerror}.",
            fix="Give another --port, or none for a free one.",
            details={"port": port},
        ) from error


def _tables(places: tuple[str, ...], storage: Mapping[str, str]) -> list[str]:
    """The tables at these places, each by its whole path. Raises `CommandUsageError` where there is none."""
    from deltaresolver.audit.scan.discovery import find_tables

    found: dict[str, None] = {}
    for place in places:
        here = [one if "://" in one else str(Path(one).resolve()) for one in find_tables(located(place), storage)]
        if not here:
            raise CommandUsageError(
                f"There is no Delta table at {place}.", fix="Give a table, or a folder that holds some."
            )
        found |= dict.fromkeys(here)
    if len(found) > MAX_TABLES:
        raise CommandUsageError(
            f"{len(found):,} tables are more than the page lists ({MAX_TABLES:,}).", fix="Give a folder with fewer."
        )
    return list(found)


def _open(storage: Mapping[str, str], path: str) -> Any:
    from deltaresolver.planning.table_reading import state_of_table
    from deltaresolver.table import Table
    from deltaresolver.ui.what_if import OpenedTable

    state = state_of_table(Table(path, storage))
    return OpenedTable(state, f"version {state.table_version}", path)


def _paste(data: bytes) -> Any:
    from deltaresolver.defaults import default_catalog
    from deltaresolver.planning.state import PlanState
    from deltaresolver.resolution.resolve import resolve_new_table
    from deltaresolver.ui.what_if import OpenedTable

    described = described_by(data, "the pasted text")
    catalog, notes = default_catalog(), list(described.notes)
    protocol = described.protocol
    if protocol is None:
        protocol = resolve_new_table(described.metadata, catalog).protocol
        notes.append("there is no protocol in it, so the table is taken to have been made from this metadata")
    state = PlanState(catalog, protocol, described.metadata)
    return OpenedTable(state, described.metadata.name or "pasted metadata", None, tuple(notes))


def _apply(storage: Mapping[str, str], path: str, statement: str) -> dict[str, Any]:
    from deltaresolver.table import Table

    outcome = Table(path, storage).sql(statement)
    return {"statement": statement, "table_version": outcome.table_version}
