"""The lake.toml that a command goes by, and what it says of the table in hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from deltaresolver.cli.completion import complete_paths

if TYPE_CHECKING:
    from deltaresolver.planning.lake.lake import Lake

Function = TypeVar("Function", bound=Callable[..., Any])

WITHOUT = "none"
VARIABLE = "DELTARESOLVER_CONFIG"
FILE_NAME = "lake.toml"
_NAMED, _READ = "deltaresolver.config", "deltaresolver.lake"


def _keep_name(ctx: click.Context, option: click.Parameter, value: str | None) -> None:  # noqa: ARG001 - click's signature
    ctx.meta[_NAMED] = value


config_option = click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_keep_name,
    help="The lake.toml to go by; none: without.  [default: the nearest one above the working directory]",
    shell_complete=complete_paths,
)
"""The command asks `current_lake` for what it is about."""


def current_lake(rules: frozenset[str] | None = None) -> Lake | None:
    """The lake.toml that --config names, else the variable, else the nearest one; None if there is none.

    With `rules`, the names of rules in it have to be among them. Raises `LakeFileMissingError` and
    `LakeFileInvalidError`.
    """
    meta = click.get_current_context().meta
    if rules is None and _READ in meta:
        found: Lake | None = meta[_READ]
        return found
    meta[_READ] = _read(meta.get(_NAMED) or os.environ.get(VARIABLE), rules)
    return current_lake()


def _read(named: str | None, rules: frozenset[str] | None) -> Lake | None:
    path = None if named == WITHOUT else Path(named) if named else _nearest(Path.cwd())
    if path is None:
        return None
    # Only where there is a file is the reader of files loaded.
    from deltaresolver.planning.lake.read_lake import read_lake

    lake = read_lake(path, rules)
    if named:
        return lake
    from deltaresolver.cli.inputs.found_lake import as_found

    return as_found(path, lake)


def _nearest(folder: Path) -> Path | None:
    return next((place / FILE_NAME for place in (folder, *folder.parents) if (place / FILE_NAME).is_file()), None)


def storage_of_lake(ctx: click.Context, option: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    """Options for object stores as `--storage` has them: those given, and those of the file that were not."""
    lake = current_lake()
    if lake is None or not lake.storage:
        return value
    given = {one.partition("=")[0].strip() for one in value}
    return (*value, *(f"{key}={text}" for key, text in lake.storage_options().items() if key not in given))


def located(path: str) -> str:
    """Where a table lies: a name that the file has stands for its location."""
    lake = current_lake()
    return path if lake is None else lake.location_of(path) or path


def required_on(path: str) -> tuple[str, ...]:
    """The clients that must go on working with a table, as `--keep` takes them."""
    lake = current_lake()
    return (
        () if lake is None else lake.required_texts(lake.place(path if "://" in path else str(Path(path).absolute())))
    )


def lake_clients_files() -> tuple[str, ...]:
    """The files with clients of their own that the file names."""
    lake = current_lake()
    return () if lake is None else lake.clients_files
