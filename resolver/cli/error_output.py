"""How an error is shown: code, message and fix on stderr, or the whole error as JSON."""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import TextIO

import click

from deltaresolver.cli.json_answer import answer_as_json
from deltaresolver.errors import DeltaResolverError
from deltaresolver.resolution.explain.visible_text import visible

DEFAULT_COLUMNS = 80
WIDEST = 120
NARROWEST = 20


def print_error(error: DeltaResolverError, *, as_json: bool) -> None:
    """Write an error to stderr."""
    if as_json:
        value = error.to_json()
        value["fix"] = value["fix"] or _fallback_fix(error)
        print(answer_as_json("error", value), file=sys.stderr)
        return
    print_failure(error.code, error.message, error.fix or _fallback_fix(error))
    for other in error.details.get("also", ()):
        _say("  also:", other["message"], "red")
    if sys.stderr.isatty() and not error.code.endswith(("00", "99")):
        _say("  more:", f"deltaresolver explain {error.code}", "white")


def print_failure(code: str, message: str, fix: str) -> None:
    """Write what failed, and what to do about it, to stderr."""
    _say(f"error {code}:", message, "red")
    _say("  fix:", fix, "green")


def _fallback_fix(error: DeltaResolverError) -> str:
    return f"Read `deltaresolver explain {error.code}`."


def print_notes(notes: Sequence[str]) -> None:
    """Write remarks that are not errors to stderr."""
    for note in notes:
        _say("note:", note, "yellow")


@contextlib.contextmanager
def logged_as_notes() -> Iterator[None]:
    """While inside, what the library only logs is shown as notes.

    Without a handler Python prints a record itself: with a traceback, and with what a name in it does to a terminal.
    """
    import logging

    class Notes(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            with contextlib.suppress(OSError, ValueError):  # nobody can read it
                error = record.exc_info[1] if record.exc_info else None
                kind = error.code if isinstance(error, DeltaResolverError) else type(error).__name__
                told = getattr(error, "message", None) or str(error)
                print_notes([record.getMessage() + ("" if error is None else f" {kind}: {told}")])

    logger, handler = logging.getLogger("deltaresolver"), Notes(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def _say(label: str, text: str, colour: str) -> None:
    """One remark on stderr: as it is into a pipe, wrapped and coloured on a terminal."""
    told = f"{label} {visible(text)}"
    if sys.stderr.isatty():
        told = wrapped(told, "    ", sys.stderr)
    if is_coloured(sys.stderr):
        told = told.replace(label, click.style(label, fg=colour, bold=True), 1)
    print(told, file=sys.stderr)


COLOUR_CHOICES = ("auto", "always", "never")
_choice = ["auto"]


def set_colours(choice: str) -> None:
    """Choose colours for this process: one of `COLOUR_CHOICES`."""
    _choice[0] = choice


def is_coloured(stream: TextIO) -> bool:
    """Whether to use colours: as --color chose; else on a terminal that has them, unless NO_COLOR is set.

    https://no-color.org has the rule.
    """
    if _choice[0] != "auto":
        return _choice[0] == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width(stream: TextIO) -> int:
    """The columns of the terminal behind a stream; a usual width where that is not known."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_COLUMNS
    except (OSError, ValueError):
        return DEFAULT_COLUMNS


def wrapped(text: str, indent: str, stream: TextIO, taken: int = 0) -> str:
    """Text that fits the terminal behind a stream, all but its first line indented; long words stay whole.

    `taken` are the columns before its first line that something else stands in.
    """
    width = max(min(terminal_width(stream), WIDEST), len(indent) + NARROWEST)
    wrapper = textwrap.TextWrapper(
        width, initial_indent=" " * taken, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    lines = "\n".join(map(wrapper.fill, text.split("\n")))
    return lines[taken:]
