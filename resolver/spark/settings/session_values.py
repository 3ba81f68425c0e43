"""A session's settings as a mapping: a few are asked for one by one, more than that all at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.expressions.allowed_functions import TRUST
from deltaresolver.spark.session import find_setting, is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.transaction.commit.committed import Committed
    from deltaresolver.transaction.hooks import PostCommitHook


LAST_COMMIT = "spark.databricks.delta.lastCommitVersionInSession"
"""Where delta-spark leaves the version of the last commit of a session, of whatever table."""


@attrs.frozen(slots=True)
class NoteInSession:
    """Sets `LAST_COMMIT`."""

    _spark: SparkSession

    @property
    def name(self) -> str:
        """As messages call it."""
        return "note the version in the session"

    def run(self, committed: Committed) -> None:
        """Set it."""
        self._spark.conf.set(LAST_COMMIT, str(committed.table_version))

    def handle_error(self, error: Exception, table_version: int) -> None:
        """Nothing: the commit stands."""


class SessionValues(Mapping[str, str]):
    """The settings of a Spark session under their names; of a Connect client's only those that somebody has set.

    Made for one statement: once all settings were asked for, each is as it was then. With `trust_expressions` the
    session trusts what tables keep, whatever it says itself.
    """

    def __init__(self, spark: SparkSession, *, trust_expressions: bool = False) -> None:
        self._spark = spark
        self._is_remote = is_connect(spark)
        self._given = {TRUST: "true"} if trust_expressions else {}
        self._asked: dict[str, str | None] = {**self._given}

    @property
    def post_commit_hooks(self) -> tuple[PostCommitHook, ...]:
        """What follows every commit of the session."""
        return (NoteInSession(self._spark),)

    def __getitem__(self, key: str) -> str:
        if key not in self._asked:
            self._asked[key] = self._find(key)
        value = self._asked[key]
        if value is None:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def _find(self, key: str) -> str | None:
        found = self._all.get(key) if self._is_remote or self._takes_all() else None
        if found is not None or self._is_remote or ("_all" in self.__dict__ and key.startswith(_NOT_SPARKS)):
            return found
        return find_setting(self._spark, key)

    def _takes_all(self) -> bool:
        """Whether all settings are here, or so many were asked for that one call for all of them is less."""
        return "_all" in self.__dict__ or len(self._asked) >= _FEW

    @cached_property
    def _all(self) -> Mapping[str, str]:
        return {**_every_setting(self._spark), **self._given}


_BETWEEN = "\x00\x1e"
"""What no setting holds."""
_FEW = 3
_NOT_SPARKS = ("spark.databricks.delta.", "deltaresolver.")
"""Settings of which Spark itself knows nothing: no other setting stands for one that is not set."""


def _every_setting(spark: SparkSession) -> dict[str, str]:
    """All that are set. A classic session hands them over in one text, and not in four calls of the JVM for each."""
    if is_connect(spark):
        return dict(spark.conf.getAll)
    conf: Any = spark.conf
    text = conf._jconf.getAll().mkString(_BETWEEN)  # noqa: SLF001 - Python has no way to it
    return dict(one.split(" -> ", 1) for one in text.split(_BETWEEN)) if text else {}
