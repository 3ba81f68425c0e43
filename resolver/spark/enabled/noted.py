"""What a reader or writer of PySpark was told, so that a table of Delta's can be read or written by this library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.errors import DeltaResolverError, TableNotFoundError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMATS = ("delta", "deltaresolver")
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


def with_notes(kind: type, mixin: type) -> type:
    """The class of PySpark with the methods of ours in front."""
    return _made(kind, mixin)


@lru_cache(maxsize=64)
def _made(kind: type, mixin: type) -> type:
    return type(kind.__name__, (mixin, kind), {"__module__": kind.__module__})


@contextmanager
def told_as_spark() -> Iterator[None]:
    """Errors as code for delta-spark catches and reads them: AnalysisException, the condition in brackets."""
    try:
        yield
    except DeltaResolverError as error:
        told = _as_spark(error)
        if told is error:
            raise
        raise told from error


def _as_spark(error: DeltaResolverError) -> DeltaResolverError:
    from pyspark.errors import AnalysisException

    if not (error.delta_class or "").endswith("AnalysisException") or isinstance(error, AnalysisException):
        return error
    kind = _kind(error.code, type(error))
    found = kind.__new__(kind)
    Exception.__init__(found, error.message)
    message, condition = error.message, error.delta_condition
    if isinstance(error, TableNotFoundError):
        message = f"{error.details.get('location', 'The location')} is not a Delta table. {message}"
        condition = "DELTA_MISSING_DELTA_TABLE"
    shown = f"[{condition}] {message}" if condition else message
    found.__dict__.update({**error.__dict__, "message": shown, "_message": shown, "_errorClass": condition})
    found.__dict__.update({"_messageParameters": {}, "_contexts": [], "_query_contexts": []})
    return found


_kinds: dict[str, type[DeltaResolverError]] = {}


def _kind(code: str, kind: type[DeltaResolverError]) -> type[DeltaResolverError]:
    """The class of an error that is an AnalysisException too."""
    from pyspark.errors import AnalysisException

    if code not in _kinds:
        _kinds[code] = type(kind.__name__, (kind, AnalysisException), {"__module__": kind.__module__})
    return _kinds[code]
