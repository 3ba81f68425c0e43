"""What a command prints on stdout: tables and colours on a terminal, plain text into a pipe, JSON where asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from deltaresolver.cli.error_output import is_coloured, terminal_width, wrapped
from deltaresolver.resolution.explain.visible_text import visible

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


def print_json(value: Any) -> None:
    """Write a value as JSON."""
    print(json.dumps(value, indent=2))


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
    for line in (columns, *lines):
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print(COLUMN_GAP.join(cells).rstrip())


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
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, style="bold cyan" if number == 0 else None, overflow="fold", no_wrap=number == 0)
    for line in lines:
        table.add_row(*map(Text, line))
    Console().print(table)


def print_fields(fields: Iterable[tuple[str, str]]) -> None:
    """Labels with values, values aligned; fields without a value are left out."""
    present = [(label, visible(value)) for label, value in fields if value]
    width = max((len(label) for label, _ in present), default=0)
    for label, value in present:
        if on_terminal():
            lines = wrapped(f"{label.ljust(width)}{COLUMN_GAP}{value}", " " * (width + len(COLUMN_GAP)), sys.stdout)
            print(lines.replace(label, click.style(label, bold=True), 1) if is_coloured(sys.stdout) else lines)
        else:
            print(f"{label.ljust(width)}{COLUMN_GAP}{value}")


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
    """Text whose unindented lines are headings; on a terminal they stand out, and so do SQL statements."""
    if not is_coloured(sys.stdout):
        print(visible(text), end="")
        return
    for line in text.splitlines():
        print(_emphasised(visible(line)))


def _emphasised(line: str) -> str:
    if line.startswith("+ "):
        return click.style(line, fg="green", bold=True)
    if line and not line.startswith(" "):
        return click.style(line, bold=True)
    if line.strip().startswith("ALTER TABLE"):
        return click.style(line, fg="cyan")
    return line


def print_markdown(text: str) -> None:
    """Markdown: laid out on a terminal, as it is otherwise."""
    if not on_terminal():
        print(text, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console(width=min(Console().width, 100)).print(Markdown(text))
