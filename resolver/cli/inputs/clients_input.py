"""The option `--clients-file`, with users' own clients."""

from __future__ import annotations

import click

from deltaresolver.cli.completion import complete_paths

clients_file_option = click.option(
    "--clients-file",
    "clients_files",
    multiple=True,
    metavar="FILE.toml",
    help="Also know the clients of this file; docs/clients-toml.md describes its form. May be repeated.",
    shell_complete=complete_paths,
)
