"""The options with which a command opens a table, and opening it as its lake.toml wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from deltaresolver.cli.inputs.lake_input import config_option, current_lake, located, required_on, storage_of_lake
from deltaresolver.cli.inputs.property_changes import read_pairs

Function = TypeVar("Function", bound=Callable[..., Any])


def storage_option(function: Function) -> Function:
    """Give a command the options --storage, and --config for the lake.toml that has more of it."""
    storage = click.option(
        "--storage",
        multiple=True,
        metavar="KEY=VALUE",
        callback=storage_of_lake,
        help="An option for an object store, such as endpoint=... May be repeated.",
    )
    return storage(config_option(function))


session_option = click.option(
    "--session", multiple=True, metavar="KEY=VALUE", help="A Spark session property. May be repeated."
)


def opening_options(function: Function) -> Function:
    """Give a command the options of `open_table`, under the same names."""
    return session_option(storage_option(function))


def open_table(path: str, *, session: Sequence[str], storage: Sequence[str]) -> Any:
    """The `deltaresolver.table.Table` at a path or of a name, with options as they were given.

    What the lake.toml requires is a policy of the table: no commit takes it from a client.
    """
    # Here, because Arrow takes longer to load than `--help` may.
    from deltaresolver import table

    lake, location = current_lake(), located(path)
    inherited = {} if lake is None else dict(lake.session)
    return table.Table(
        location,
        read_pairs(storage, "--storage"),
        session={**inherited, **read_pairs(session, "--session")},
        policies=_policies(location),
    )


def _policies(location: str) -> tuple[Any, ...]:
    lake, required = current_lake(), required_on(location)
    if lake is None or not required:
        return ()
    from deltaresolver.planning.lake.guard import keeping

    return (keeping(lake, location),)
