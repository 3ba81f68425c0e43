"""How an error is shown: code, message and fix on stderr, or the whole error as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import click

from deltaresolver.errors import DeltaResolverError
from deltaresolver.resolution.visible_text import visible


def print_error(error: DeltaResolverError, *, as_json: bool) -> None:
    """Write an error to stderr."""
    if as_json:
        value = error.to_json()
        value["fix"] = value["fix"] or _fallback_fix(error)
        print(json.dumps(value, indent=2, default=str), file=sys.stderr)
        return
    coloured = sys.stderr.isatty()
    head = _style(f"error {error.code}:", coloured, fg="red", bold=True)
    print(f"{head} {visible(error.message)}", file=sys.stderr)
    fix = error.fix or _fallback_fix(error)
    print(f"  {_style('fix:', coloured, fg='green', bold=True)} {visible(fix)}", file=sys.stderr)
    for other in error.details.get("also", ()):
        print(f"  {_style('also:', coloured, bold=True)} {visible(other['message'])}", file=sys.stderr)
    if coloured and not error.code.endswith(("00", "99")):
        print(click.style(f"  more: deltaresolver explain {error.code}", dim=True), file=sys.stderr)


def _fallback_fix(error: DeltaResolverError) -> str:
    return f"Read `deltaresolver explain {error.code}`."


def print_notes(notes: Sequence[str]) -> None:
    """Write remarks that are no errors to stderr."""
    for note in notes:
        print(f"{_style('note:', sys.stderr.isatty(), fg='yellow')} {visible(note)}", file=sys.stderr)


def _style(text: str, coloured: bool, *, fg: str | None = None, bold: bool = False) -> str:
    return click.style(text, fg=fg, bold=bold) if coloured else text
