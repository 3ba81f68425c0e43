"""An error about a table that is not there, with what is there instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from deltaresolver.errors import TableNotFoundError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore


@contextlib.contextmanager
def looking_around(store: LogStore) -> Iterator[None]:
    """Where a table is asked for and none is there, the error says what is.

    For calls of users alone: who only wants to know whether there is a table should not wait for the look.
    """
    try:
        yield
    except TableNotFoundError as error:
        # Only what failed pays for the look.
        from deltaresolver.log.found_instead import found_instead  # noqa: PLC0415

        found = found_instead(store.location) if isinstance(store, LocalStore) else None
        if found is None or "found" in error.details:
            raise
        raise TableNotFoundError(
            f"There is no Delta table at {store.location}: {found.what}.",
            fix=found.fix,
            details={**error.details, "found": found.kind},
        ) from error
