"""Errors inside the data source, as Spark can show them.

Some classes of errors mean something to Spark: NotImplementedError, of which Arrow has a kind of its own, that a method
is not there; StopIteration, that there are no more rows. So only errors of this library leave the data source. Spark
shows users the traceback of its worker processes, in which each of these errors prints its fix and its code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deltaresolver.errors import DataSourceFailedError, DeltaResolverError
from deltaresolver.spark.session import is_of_spark


@contextmanager
def told() -> Iterator[None]:
    """Turn every exception into an error of this library, but for what Spark itself raises, and interrupts."""
    try:
        yield
    except DeltaResolverError:
        raise
    except Exception as error:
        if is_of_spark(error):
            raise
        raise DataSourceFailedError(
            f"The data source failed: {type(error).__name__}: {error}.",
            fix="If the message names a file, an option or a place that can be corrected, correct it; otherwise report "
            "this with its traceback. The table is unchanged.",
            details={"kind": type(error).__name__, "reason": str(error)},
        ) from error
