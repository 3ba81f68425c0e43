"""Paths inside a store: relative to the table's root, forward slashes, taken literally."""

from __future__ import annotations

import re

from deltaresolver.errors import LocationInvalidError

# An empty, `.` or `..` segment anywhere but an empty last one (which asks for a whole folder), or a NUL.
_UNSAFE = re.compile(r"\A/|\A\.{1,2}/|/\.{0,2}/|(?:\A|/)\.{1,2}\Z|\0")


def split_path(path: str) -> tuple[str, str]:
    """The folder ("" for the root) and the name in a store path.

    Raises `LocationInvalidError` for a path that leaves the store or has two spellings: paths also come out of
    logs that somebody else wrote.
    """
    if _UNSAFE.search(path):
        raise LocationInvalidError(
            f"{path!r} is no path inside a table: it is absolute, or has an empty, '.' or '..' part.",
            fix="Give a path relative to the table's root.",
            details={"path": path},
        )
    folder, _, name = path.rpartition("/")
    return folder, name
