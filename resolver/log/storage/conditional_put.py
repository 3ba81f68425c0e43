"""Repeats a conditional put over an unreliable network without ever taking one's own write for somebody else's.

If a first try arrived and only its answer was lost, the second finds the file there. So after a try
that may have arrived the file is read back: exactly our bytes are our own write (every commit holds something unique),
other bytes are another's.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

import attrs

from deltaresolver.errors import (
    LogError,
    PutOutcomeUnknownError,
    StorageUnavailableError,
    StoredFileExistsError,
    StoredFileMissingError,
)
from deltaresolver.log.storage.object_errors import is_already_exists, lost_a_race, may_have_arrived

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 3.0


@attrs.define(slots=True)
class ConditionalPut:
    """One put-if-absent, with as many tries as it takes."""

    full_path: str
    data: bytes
    send: Callable[[], None]
    """Tries once; raises whatever the client raises."""
    read_back: Callable[[], bytes]
    """The object's bytes, tried once; raises a `LogError`."""
    explain: Callable[[Exception], LogError]
    """The `LogError` for what `send` raised."""
    max_retries: int
    retry_seconds: float
    """No new try is made after this time, whatever `max_retries` would allow."""
    perhaps_arrived: bool = False

    def run(self) -> None:
        """Raises `StoredFileExistsError`, `PutOutcomeUnknownError`, or why the store refused."""
        deadline = time.monotonic() + self.retry_seconds
        pauses = _pauses(self.max_retries)
        while True:
            try:
                self.send()
            except Exception as error:  # noqa: BLE001 - all that the client can raise is judged
                failure = self._judge(error)
            else:
                return
            if self._is_there():
                return
            pause = next(pauses, None)
            if pause is None or time.monotonic() + pause > deadline:
                raise self._unknown(failure) if self.perhaps_arrived else failure
            time.sleep(pause)

    def _judge(self, error: Exception) -> LogError:
        """What went wrong with a try, if another is worth making; raises otherwise."""
        if lost_a_race(error):
            return StorageUnavailableError(
                f"{self.full_path} was not written: another conditional put was under way and failed too.",
                fix="Try again.",
                details={"path": self.full_path},
            )
        if is_already_exists(error):
            if not self.perhaps_arrived:
                raise self._exists() from error
            return self._exists()
        failure = self.explain(error)
        if not isinstance(failure, StorageUnavailableError):
            raise self._unknown(failure) if self.perhaps_arrived else failure from error
        self.perhaps_arrived = self.perhaps_arrived or may_have_arrived(error)
        return failure

    def _is_there(self) -> bool:
        """Whether our own write is in place; False if that cannot be seen. Raises if another's is."""
        try:
            found = self.read_back()
        except (StoredFileMissingError, StorageUnavailableError):
            return False
        if found == self.data and self.perhaps_arrived:
            return True
        raise self._exists()

    def _exists(self) -> StoredFileExistsError:
        return StoredFileExistsError(
            f"{self.full_path} exists already.",
            fix="Read the file that is there, then try the next name.",
            details={"path": self.full_path},
        )

    def _unknown(self, failure: LogError) -> PutOutcomeUnknownError:
        return PutOutcomeUnknownError(
            f"{self.full_path} may or may not have been written: {failure.message}",
            fix="Read the file back before trying again.",
            details={"path": self.full_path, "reason": failure.message, "cause": failure.code},
        )


def _pauses(max_retries: int) -> Iterator[float]:
    """How long to wait before each further try: ever longer, with chance in it so that writers drift apart."""
    for retry in range(max_retries):
        yield min(FIRST_PAUSE * 2**retry, LONGEST_PAUSE) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
