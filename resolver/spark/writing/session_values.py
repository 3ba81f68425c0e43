"""A session's settings as a mapping, each asked for when it is looked up: asking for all of them is slow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from deltaresolver.spark.session import find_setting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SessionValues(Mapping[str, str]):
    """The settings of a Spark session under their names."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._asked: dict[str, str | None] = {}

    def __getitem__(self, key: str) -> str:
        if key not in self._asked:
            self._asked[key] = find_setting(self._spark, key)
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
        return dict(self._spark.conf.getAll)
