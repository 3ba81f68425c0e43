"""Data files that Spark hides: its readers take their names for those of files that are not finished."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable

from deltaresolver.errors import HiddenDataFileError


def is_hidden(name: str) -> bool:
    """Whether Spark passes over a file of this name, though it was given the file itself to read."""
    return (name.startswith("_") and "=" not in name) or name.startswith(".") or name.endswith("._COPYING_")


def ensure_shown(paths: Iterable[str], location: str) -> None:
    """Check that Spark reads all of these files, as the log names them. Raises `HiddenDataFileError`."""
    for path in paths:
        name = urllib.parse.unquote(path.rpartition("/")[2])
        if is_hidden(name):
            raise HiddenDataFileError(
                f"Spark does not read the data file {name} of {location}: it hides files with such names.",
                fix='Read the table with spark.read.format("deltaresolver"). To change rows, overwrite it with its own '
                "first: the new files have other names.",
                details={"location": location, "file": path},
            )
