"""What the library only logs, as notes of the command line.

Without a handler Python prints such a record itself: with a traceback, and with what a name in it does to a terminal.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from deltaresolver.cli.error_output import print_notes
from deltaresolver.errors import DeltaResolverError


class _Notes(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Print it on one line, with the error that it is about."""
        try:
            told = record.getMessage()
            error = record.exc_info[1] if record.exc_info else None
            if isinstance(error, DeltaResolverError):
                told = f"{told} {error.code}: {error.message}"
            elif error is not None:
                told = f"{told} {type(error).__name__}: {error}"
            print_notes([told])
        except (OSError, ValueError):
            pass  # nobody can read it


@contextlib.contextmanager
def logged_as_notes() -> Iterator[None]:
    """While inside, warnings of the library are notes on standard error."""
    logger, handler = logging.getLogger("deltaresolver"), _Notes(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
