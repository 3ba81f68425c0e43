"""Options that name a file to write."""

from __future__ import annotations

import click

from deltaresolver.errors import CommandUsageError

STDOUT = "-"


def check_written_file(_context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """The option's value; `CommandUsageError` for one that is another option, as in `--json --workers 1`.

    The shell would take such a file for an option ever after, and whoever wrote that forgot the name.
    """
    if value is None or value == STDOUT or not value.startswith("-"):
        return value
    flag = option.opts[0]
    raise CommandUsageError(
        f"{flag} takes the name of a file, and {value} follows it, which is an option.",
        fix=f"Give {flag} a file; ./{value} is a file of that name.",
        details={"option": flag, "value": value},
    )
