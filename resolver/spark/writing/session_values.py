"""A session's settings as a mapping: asked for one by one where that is a call, all at once where each is a request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from deltaresolver.expressions.allowed_functions import TRUST
from deltaresolver.spark.session import find_setting, is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SessionValues(Mapping[str, str]):
    """The settings of a Spark session under their names; of a Connect client's only those that somebody has set.

    With `trust_expressions` the session trusts what tables keep, whatever it says itself.
    """

    def __init__(self, spark: SparkSession, *, trust_expressions: bool = False) -> None:
        self._spark = spark
        self._is_remote = is_connect(spark)
        self._given = {TRUST: "true"} if trust_expressions else {}
        self._asked: dict[str, str | None] = {**self._given}

    def __getitem__(self, key: str) -> str:
        if key not in self._asked:
            self._asked[key] = self._all.get(key) if self._is_remote else find_setting(self._spark, key)
        value = self._asked[key]
        if value is None:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @cached_property
    def _all(self) -> Mapping[str, str]:
        return {**dict(self._spark.conf.getAll), **self._given}
