"""Errors of this library as code written for delta-spark catches and reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deltaresolver.errors import DeltaResolverError, StatementUnreadableError, TableNotFoundError

_kinds: dict[tuple[str, str], type[DeltaResolverError]] = {}


@contextmanager
def told_as_spark() -> Iterator[None]:
    """What delta-spark would raise as an AnalysisException or ParseException is one too, its condition in brackets."""
    try:
        yield
    except DeltaResolverError as error:
        told = _as_spark(error)
        if told is error:
            raise
        raise told from error


def _as_spark(error: DeltaResolverError) -> DeltaResolverError:
    from pyspark.errors import AnalysisException, ParseException

    is_text = isinstance(error, StatementUnreadableError)
    is_analysis = (error.delta_class or "").endswith("AnalysisException") or error.delta_class in _OF_CATALOGS
    if isinstance(error, AnalysisException) or not (is_text or is_analysis):
        return error
    kind = _kind(type(error), ParseException if is_text else AnalysisException)
    found = kind.__new__(kind)
    Exception.__init__(found, error.message)
    message, condition = error.message, error.delta_condition or ("PARSE_SYNTAX_ERROR" if is_text else None)
    if isinstance(error, TableNotFoundError):
        message = f"{error.details.get('location', 'The location')} is not a Delta table. {message}"
        condition = "DELTA_MISSING_DELTA_TABLE"
    shown = f"[{condition}] {message}" if condition else message
    held: dict[str, Any] = {"message": shown, "_message": shown, "_errorClass": condition}
    found.__dict__.update({**error.__dict__, **held, "_messageParameters": {}, "_contexts": [], "_query_contexts": []})
    return found


_OF_CATALOGS = ("TableAlreadyExistsException", "CannotReplaceMissingTableException")
"""Kinds of AnalysisException in the JVM."""


def _kind(kind: type[DeltaResolverError], of_spark: type[Exception]) -> type[DeltaResolverError]:
    """The class of an error that is one of Spark's too."""
    key = (kind.code, of_spark.__name__)
    if key not in _kinds:

        def reduced(self: DeltaResolverError) -> tuple[Any, ...]:
            # Another process makes the plain error of it.
            rebuild, (_, message, state) = kind.__reduce__(self)
            return rebuild, (kind, message, state)

        names = {"__module__": kind.__module__, "__reduce__": reduced}
        _kinds[key] = type(kind.__name__, (kind, of_spark), names)
    return _kinds[key]
