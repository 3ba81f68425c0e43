"""Pages of the reference made from the command line: one a command, an overview, and the manual page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from deltaresolver.cli.main import COMMANDS
from deltaresolver.cli.main import command as whole

FOLDER = Path("docs/reference/cli")
MANUAL = Path("docs/reference/deltaresolver.1")
WIDTH = 80


def pages() -> Iterator[tuple[Path, str]]:
    """Every page by its path."""
    yield FOLDER / "README.md", "\n".join(_overview()) + "\n"
    for name in COMMANDS:
        yield FOLDER / f"{name}.md", "\n".join(_page(name)) + "\n"
    yield MANUAL, "\n".join(_manual()) + "\n"


def contexts() -> Iterator[tuple[str, click.Context]]:
    """Every command, those below another included, by its full name."""
    parent = click.Context(whole, info_name="deltaresolver", **whole.context_settings)
    for name in COMMANDS:
        command = whole.get_command(parent, name)
        assert command is not None
        context = _below(parent, name, command)
        yield name, context
        if isinstance(command, click.Group):
            for child, each in command.commands.items():
                yield f"{name} {child}", _below(context, child, each)


def _below(parent: click.Context, name: str, command: click.Command) -> click.Context:
    return click.Context(command, parent=parent, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)


def _overview() -> Iterator[str]:
    yield from (
        "# Commands",
        "",
        "[The command line](../../command-line.md): exit codes, JSON, colours, completion.",
        "",
    )
    yield from ("| command | |", "|---|---|")
    yield from (f"| [`deltaresolver {name}`]({name}.md) | {summary} |" for name, (_, summary) in COMMANDS.items())
    yield from ("", "After `pip install`, `man deltaresolver` shows all of them in a terminal; in a clone,")
    yield "`man -l docs/reference/deltaresolver.1`."


def _page(name: str) -> Iterator[str]:
    yield from (f"# deltaresolver {name}", "", "[All commands](README.md)", "", COMMANDS[name][1])
    for full, context in contexts():
        if full.split()[0] == name:
            yield from (("", f"## {full}") if full != name else ())
            yield from ("", "```text", *_help(context), "```")
    if any(
        "--json" in option.opts
        for full, each in contexts()
        if full.split()[0] == name
        for option in each.command.params
    ):
        yield from ("", f"What `--json` prints: [its schema](../../schemas/{name}.json).")


def _help(context: click.Context) -> list[str]:
    return [line.rstrip() for line in context.get_help().splitlines()]


def _manual() -> Iterator[str]:
    yield '.TH DELTARESOLVER 1 "" "deltaresolver" "User Commands"'
    yield from (".SH NAME", f"deltaresolver \\- {_roff(whole.help or '').rstrip('.')}")
    yield from (".SH SYNOPSIS", "\\fBdeltaresolver\\fR [\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGS\\fR]...")
    yield ".SH COMMANDS"
    for name, (_, summary) in COMMANDS.items():
        yield from (".TP", f"\\fB{_roff(name)}\\fR", _roff(summary))
    for full, context in contexts():
        yield from (f'.SH "deltaresolver {_roff(full)}"', ".nf", *map(_roff, _help(context)), ".fi")
    yield from (".SH EXIT STATUS", ".TP", "\\fB0\\fR", "fine")
    yield from (".TP", "\\fB1\\fR", "findings, or a failed check")
    yield from (".TP", "\\fB2\\fR", "an error: its code, a sentence and a fix are on standard error")
    yield from (".TP", "\\fB130\\fR", "interrupted with Ctrl\\-C")
    yield from (".SH ENVIRONMENT", ".TP", "\\fBDELTARESOLVER_CONFIG\\fR", "the lake.toml to go by")
    yield from (".TP", "\\fBDELTARESOLVER_WITHOUT_PLUGINS\\fR", "installed packages to leave out, with commas between")
    yield from (".TP", "\\fBNO_COLOR\\fR", "no colours where it is set")


def _roff(text: str) -> str:
    """Plain text for a manual page: nothing in it is a request or an escape."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
