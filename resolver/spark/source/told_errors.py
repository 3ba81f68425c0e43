"""Errors inside the data source, as Spark can show them.

Spark shows users the traceback of its worker processes alone, so code and fix become part of the message. And some
classes of errors mean something to Spark: NotImplementedError, of which Arrow has a kind of its own, that a method is
not there; StopIteration, that there are no more rows. So nothing leaves the data source but errors of this library.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deltaresolver.errors import DataSourceFailedError, DeltaResolverError
from deltaresolver.spark.session import is_of_spark


@contextmanager
def told() -> Iterator[None]:
    """Give errors of this library what Spark would not show of them, and make errors of it of all others.

    What Spark itself raises, and interrupts, go through.
    """
    try:
        yield
    except DeltaResolverError as error:
        _add_note(error)
        raise
    except Exception as error:
        if is_of_spark(error):
            raise
        failed = DataSourceFailedError(
            f"The data source failed: {type(error).__name__}: {error}.",
            fix="If the message names a file, an option or a place that can be corrected, correct it; otherwise report "
            "this with its traceback. The table is unchanged.",
            details={"kind": type(error).__name__, "reason": str(error)},
        )
        _add_note(failed)
        raise failed from error


def _add_note(error: DeltaResolverError) -> None:
    if not getattr(error, "__notes__", None):
        condition = f" [{error.delta_condition}]" if error.delta_condition else ""
        error.add_note(f"{error.code}{condition}: {error.fix}")
