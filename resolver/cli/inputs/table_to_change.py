"""Opening the table that a command is to change, and the options that say how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from deltaresolver.cli.inputs.property_changes import read_pairs

Function = TypeVar("Function", bound=Callable[..., Any])

storage_option = click.option(
    "--storage",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option for an object store, such as endpoint=... May be repeated.",
)
session_option = click.option(
    "--session", multiple=True, metavar="KEY=VALUE", help="A Spark session property. May be repeated."
)


def opening_options(function: Function) -> Function:
    """Give a command the options of `open_table`, under the same names."""
    return session_option(storage_option(function))


def open_table(path: str, *, session: Sequence[str], storage: Sequence[str]) -> Any:
    """The `deltaresolver.table.Table` at a path, with options as they were given."""
    # Here, because Arrow takes longer to load than `--help` may.
    from deltaresolver import table

    return table.Table(path, read_pairs(storage, "--storage"), session=read_pairs(session, "--session"))
