"""What was set on a reader or writer of PySpark, so that this library can read or write a Delta table with it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMATS = ("delta", "deltaresolver")
STORAGE = "storage."
"""What names of options begin with that are for the table's storage."""
_DEFAULT_SOURCE = "spark.sql.sources.default"


@attrs.define(slots=True, eq=False)
class Noted:
    """Calls of `format`, `option`, `mode` and their like, in no order."""

    spark: SparkSession
    frame: Any = None
    table: str | None = None
    source: str | None = None
    options: dict[str, str] = attrs.field(factory=dict)
    mode: str = "error"
    partition_by: tuple[str, ...] = ()
    cluster_by: tuple[str, ...] = ()
    properties: dict[str, str] = attrs.field(factory=dict)
    others: list[str] = attrs.field(factory=list)
    """Calls that mean nothing for Delta tables."""

    @property
    def is_delta(self) -> bool:
        """Whether Delta's is the format, by name or as the session's default."""
        source = self.source if self.source is not None else self.spark.conf.get(_DEFAULT_SOURCE, "parquet")
        return str(source).lower() in FORMATS

    def note(self, options: Mapping[str, object]) -> None:
        """Options as PySpark takes them: without regard to case, None leaving out."""
        for key, value in options.items():
            for known in [each for each in self.options if each.lower() == key.lower()]:
                del self.options[known]
            if value is not None:
                self.options[key] = str(value).lower() if isinstance(value, bool) else str(value)

    def take(self, name: str) -> str | None:
        """The value of an option, which is then no longer one."""
        for known in list(self.options):
            if known.lower() == name.lower():
                return self.options.pop(known)
        return None


class NotingCalls:
    """The calls that readers and writers share: each is noted, and made."""

    _noted: Noted

    def format(self, source: str) -> Any:
        """As PySpark's."""
        self._noted.source = source
        return super().format(source)  # type: ignore[misc]

    def option(self, key: str, value: Any) -> Any:
        """As PySpark's."""
        self._noted.note({key: value})
        return super().option(key, value)  # type: ignore[misc]

    def options(self, **options: Any) -> Any:
        """As PySpark's."""
        self._noted.note(options)
        return super().options(**options)  # type: ignore[misc]


def with_notes(kind: type, mixin: type) -> type:
    """The class of PySpark with the methods of ours in front."""
    return _made(kind, mixin)


@lru_cache(maxsize=64)
def _made(kind: type, mixin: type) -> type:
    return type(kind.__name__, (mixin, kind), {"__module__": kind.__module__})
