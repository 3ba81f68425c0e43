"""What a command prints on stdout: tables and colours on a terminal, plain text into a pipe."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

import click

from deltaresolver.cli.error_output import is_coloured, terminal_width, wrapped
from deltaresolver.resolution.explain.visible_text import visible

if TYPE_CHECKING:
    from rich.console import Console

COLUMN_GAP = "  "
RULED_GAP = 3
"""Columns of the terminal that rich puts between two of a table."""
WIDEST_PADDED = 36
"""One long cell must not push all other rows apart: it stands out of its column instead."""
READABLE = 16
"""A column that has to wrap is readable from this width on."""


def on_terminal() -> bool:
    """Whether somebody looks at stdout."""
    return sys.stdout.isatty()


def console(stream: TextIO) -> Console:
    """What rich draws with on a stream: with colours, bold included, exactly where everything else has them."""
    from rich.console import Console

    if is_coloured(stream):
        return Console(file=stream, force_terminal=True, no_color=False, color_system="standard")
    return Console(file=stream, no_color=True, color_system=None)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table: ruled and wrapped on a terminal, one line for each row otherwise.

    A cell may have several lines; where a row is one line, `; ` stands between them.
    """
    lines = [list(map(visible, row)) for row in rows]
    if on_terminal():
        if _fits(columns, lines):
            _print_ruled(columns, lines)
        else:
            _print_stacked(columns, lines)
        return
    lines = [[cell.replace("\n", "; ") for cell in line] for line in lines]
    widths = [min(max(map(len, column)), WIDEST_PADDED) for column in zip(columns, *lines, strict=True)]
    coloured = is_coloured(sys.stdout)
    for number, line in enumerate((columns, *lines)):
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        shown = COLUMN_GAP.join(cells).rstrip()
        if coloured and number == 0:
            shown = click.style(shown, bold=True)
        elif coloured:
            shown = shown.replace(line[0], click.style(line[0], fg="cyan", bold=True), 1)
        print(shown)


def _fits(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> bool:
    """Whether a ruled table leaves every column room for words: the first is never wrapped, the others are."""
    first = max((len(part) for line in lines for part in line[0].split("\n")), default=0)
    left = terminal_width(sys.stdout) - max(first, len(columns[0])) - RULED_GAP * len(columns)
    others = [
        min(READABLE, max(len(part) for line in (columns, *lines) for part in line[number].split("\n")))
        for number in range(1, len(columns))
    ]
    return left >= sum(others)


def _print_stacked(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """A paragraph for each row, for a terminal too narrow for columns."""
    for line in lines:
        print_wrapped(line[0], COLUMN_GAP, bold=line[0])
        for column, cell in zip(columns[1:], line[1:], strict=True):
            for number, part in enumerate(filter(None, map(str.strip, cell.split("\n")))):
                print_wrapped(f"{COLUMN_GAP}{f'{column}: ' if number == 0 else ''}{part}", COLUMN_GAP * 2)


def _print_ruled(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, style="bold cyan" if number == 0 else None, overflow="fold", no_wrap=number == 0)
    for line in lines:
        table.add_row(*map(Text, line))
    console(sys.stdout).print(table)


def print_fields(fields: Iterable[tuple[str, str]]) -> None:
    """Labels with values, values aligned and each on one line; fields without a value are left out."""
    # A CI that shows the output may take a line of somebody's text for a command.
    present = [(label, " ".join(visible(value).split("\n"))) for label, value in fields if value]
    width = max((len(label) for label, _ in present), default=0)
    for label, value in present:
        lines = f"{label.ljust(width)}{COLUMN_GAP}{value}"
        if on_terminal():
            lines = wrapped(lines, " " * (width + len(COLUMN_GAP)), sys.stdout)
        print(lines.replace(label, click.style(label, bold=True), 1) if is_coloured(sys.stdout) else lines)


def print_wrapped(text: str, indent: str, *, bold: str = "", colour: str | None = None) -> None:
    """One remark: on a terminal wrapped, later lines indented, and coloured where it has colours; otherwise as it is.

    `bold` is the part of the text to emphasise.
    """
    shown = visible(text)
    if on_terminal():
        shown = wrapped(shown, indent, sys.stdout)
    if is_coloured(sys.stdout):
        shown = click.style(shown, fg=colour) if colour and shown else shown
        shown = shown.replace(visible(bold), click.style(visible(bold), bold=True), 1) if bold else shown
    print(shown)


def print_sections(text: str) -> None:
    """Text whose unindented lines are headings; with colours they stand out, and so do SQL statements.

    On a terminal too narrow for it, sentences are wrapped, and statements are not: they are there to be copied.
    """
    if not is_coloured(sys.stdout) and not on_terminal():
        print(visible(text), end="")
        return
    for line in visible(text).splitlines():
        print(_emphasised(_fitted(line)))


def _fitted(line: str) -> str:
    if not on_terminal() or len(line) <= terminal_width(sys.stdout) or _STATEMENT in line:
        return line
    inner = line.lstrip()
    own = " " * (len(line) - len(inner))
    return own + wrapped(inner, own + COLUMN_GAP, sys.stdout, taken=len(own))


_STATEMENT = "ALTER TABLE"


def _emphasised(line: str) -> str:
    if not is_coloured(sys.stdout):
        return line
    if line.startswith("+ "):
        return click.style(line, fg="green", bold=True)
    if line and not line.startswith(" "):
        return click.style(line, bold=True)
    if line.strip().startswith(_STATEMENT):
        return click.style(line, fg="cyan")
    return line


def print_markdown(text: str) -> None:
    """Markdown: laid out on a terminal, with the addresses of links in words; as it is otherwise."""
    shown = visible(text)
    if not on_terminal():
        print(shown, end="")
        return
    from rich.markdown import Markdown

    drawn = console(sys.stdout)
    drawn.print(Markdown(shown, hyperlinks=False), width=min(drawn.width, 100))


@contextlib.contextmanager
def counted(doing: str, things: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, moved by how many are done and how many there are, where somebody looks; else silence."""
    if not sys.stderr.isatty():
        yield lambda done, total: None  # noqa: ARG005 - the signature of a listener
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(doing), BarColumn(), MofNCompleteColumn(), TextColumn(things), TimeRemainingColumn()
    # Without a thread of its own, as this process is forked.
    with Progress(*columns, console=console(sys.stderr), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total, refresh=True)
