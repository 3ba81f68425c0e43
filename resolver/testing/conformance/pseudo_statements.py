"""Statements of recordings that are not SQL: they make a table older, write a checkpoint, or set a session property.

@conf KEY VALUE        a property of the session
@age {table} 25 hours  the table's log is older by that; milliseconds, seconds, minutes, hours or days
@checkpoint {table}    a checkpoint of the latest version
@df MODE {table} K=V <<< QUERY   a DataFrame of the query saved as that table; needs Spark
@commit, @api, ...     done by code in the recording: the tables are set to the recorded state
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

_AGE = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[a-zA-Z]*)")
_SECONDS = {"ms": 0.001, "mi": 60.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_A_MOMENT_AGO = 1_000_000
"""A larger number without a unit counts milliseconds, a smaller one hours."""


def seconds_of(text: str) -> float | None:
    """The seconds by which a table gets older; None for a text without a number."""
    found = _AGE.search(re.sub(r"\{\w+\}", " ", text))
    if found is None:
        return None
    number, unit = float(found["number"]), found["unit"].lower()
    if not unit:
        return number / 1000 if number >= _A_MOMENT_AGO else number * 3600
    if unit.startswith(("ms", "milli")):
        return number / 1000
    return number * _SECONDS.get(unit[0], 3600.0)


def grow_older(location: Path, seconds: float) -> None:
    """Make the modification time of every file of a table's log that much earlier."""
    for path in sorted((location / "_delta_log").rglob("*")):
        if path.is_file():
            status = path.stat()
            os.utime(path, (status.st_atime - seconds, status.st_mtime - seconds))


def tables_named(text: str, known: Iterable[str]) -> list[str]:
    """The tables that a pseudo statement names; all of them where it names none."""
    named = re.findall(r"\{\w+\}", text)
    return [name for name in known if name in named or not named]
