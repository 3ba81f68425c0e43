"""Errors of worker processes: Spark shows users their traceback alone, so code and fix become part of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deltaresolver.errors import DeltaResolverError


@contextmanager
def told() -> Iterator[None]:
    """Note on errors of this library what Spark would not show of them."""
    try:
        yield
    except DeltaResolverError as error:
        if not getattr(error, "__notes__", None):
            condition = f" [{error.delta_condition}]" if error.delta_condition else ""
            error.add_note(f"{error.code}{condition}: {error.fix}")
        raise
