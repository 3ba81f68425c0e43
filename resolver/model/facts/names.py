"""Names of columns in SQL and in dotted texts: quoted, unquoted and taken apart as Spark does it."""

from __future__ import annotations

import re

_PART = r"`(?:[^`]|``)*`|[^.`]+"
_PARTS = re.compile(rf"(?:{_PART})(?:\.(?:{_PART}))*", re.DOTALL)
_ONE_PART = re.compile(_PART, re.DOTALL)


def quoted(name: str) -> str:
    """A name as SQL takes it whatever is in it: between backticks."""
    return "`" + name.replace("`", "``") + "`"


def unquoted(part: str) -> str:
    """The name that a part of a dotted text stands for, with or without backticks around it."""
    return part[1:-1].replace("``", "`") if part.startswith("`") else part


def split_name(text: str) -> tuple[str, ...] | None:
    """The names in a dotted text, blanks and all; None where Spark finds no name in it.

    Backticks stand around whole names only, and no name is empty unless they do.
    """
    return tuple(map(unquoted, _ONE_PART.findall(text))) if _PARTS.fullmatch(text) else None
