"""Which table and version a DataFrame's rows come from, as a mark in its plan.

The mark is a condition that is always true and names the read. Spark carries it through every operation, view and
cache, on the client of Spark Connect too, and takes it out when it optimizes the plan.
"""

from __future__ import annotations

import base64
import os
import re
from typing import TYPE_CHECKING

import msgspec

from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PREFIX = "deltaresolver.read:"
_END = ";"
_PATTERN = re.compile(rf"{re.escape(PREFIX)}([A-Za-z0-9_=-]+){_END}")
_SAME_SCHEMES = {"s3a": "s3", "s3n": "s3", "abfss": "abfs"}


class ReadMark(msgspec.Struct, frozen=True, rename="camel"):
    """One read of a table's rows, complete in itself: it needs no registry, so any process understands it."""

    place: str
    """Where the table is, by `place_of`."""
    table_id: str
    version: int
    where: str | None = None
    """The condition that chose its files."""
    zone: str = "UTC"
    """The session's time zone, by which the condition was read."""
    block: str | None = None
    """The id of the `ds.transaction` in which rows were read that only this block knows."""

    @property
    def text(self) -> str:
        """The mark as the plan holds it."""
        return f"{PREFIX}{base64.urlsafe_b64encode(msgspec.json.encode(self)).decode()}{_END}"


def place_of(store: LogStore) -> str:
    """The one name of a table's location, for all ways to write it."""
    if isinstance(store, LocalStore):
        return os.path.realpath(store.location)
    scheme, found, rest = store.location.partition("://")
    return f"{_SAME_SCHEMES.get(scheme.lower(), scheme.lower())}{found}{rest.rstrip('/')}"


def marked(rows: DataFrame, mark: ReadMark) -> DataFrame:
    """The same rows, with the mark in their plan."""
    from pyspark.sql import functions

    return rows.where(functions.lit(mark.text).isNotNull())


def marks_in(plan: str) -> frozenset[ReadMark]:
    """The marks in the text of a plan. What only looks like a mark is passed over."""
    found = set()
    for each in _PATTERN.finditer(plan):
        try:
            found.add(msgspec.json.decode(base64.urlsafe_b64decode(each[1]), type=ReadMark))
        except (ValueError, msgspec.MsgspecError):
            continue
    return frozenset(found)
