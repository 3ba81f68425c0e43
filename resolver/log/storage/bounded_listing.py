"""Listings that end: a server may go on with pages for ever, or with names that no store has."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from deltaresolver.errors import StorageAnswerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from obstore import ObjectMeta

T = TypeVar("T")

MAX_LOG_ENTRIES = 10_000_000
"""Of the listing of one folder of a log, which is held in memory."""
MAX_ENTRIES = 100_000_000
"""Of the listing of everything below a folder."""
MAX_KEY_CHARACTERS = 4096
"""Of one key: four times what any store takes."""
PAGE_SECONDS = 300.0
"""For some entries. The client asks on by itself while pages are empty, and would do so for ever."""
WHOLE_SECONDS = 3600.0
"""For a listing that the client joins by itself."""
_END: Sequence[ObjectMeta] = ()


def bounded_pages(pages: Iterable[Sequence[ObjectMeta]], most: int, place: str) -> Iterator[Sequence[ObjectMeta]]:
    """The pages as they come. Raises `StorageAnswerError` beyond `most` entries, and what the client raises."""
    waiting = iter(pages)
    count = 0
    while page := within(PAGE_SECONDS, lambda: next(waiting, _END), lambda: nothing_came(place, PAGE_SECONDS)):
        count += len(page)
        if count > most:
            raise _no_listing(place, f"it has more than {most:,} entries")
        for found in page:
            if len(found["path"]) > MAX_KEY_CHARACTERS:
                raise _no_listing(place, f"it has a key of {len(found['path']):,} characters")
        yield page


def within(seconds: float, ask: Callable[[], T], late: Callable[[], Exception]) -> T:
    """What `ask` returns or raises. Raises what `late` returns where it takes longer, and then waits no more for it.

    A client cannot be interrupted, so another thread waits for it, which ends with the process at the latest.
    """
    done = threading.Event()
    answers: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(ask())
        except BaseException as error:  # noqa: BLE001 - raised where the answer is waited for
            errors.append(error)
        done.set()

    threading.Thread(target=run, name="deltaresolver-waiting", daemon=True).start()
    if not done.wait(seconds):
        raise late()
    if errors:
        raise errors[0]
    return answers[0]


def nothing_came(place: str, seconds: float) -> StorageAnswerError:
    """The error of a listing that the server never ends."""
    return _no_listing(place, f"nothing came of it in {seconds:,.0f} seconds, while the server answered")


def _no_listing(place: str, reason: str) -> StorageAnswerError:
    return StorageAnswerError(
        f"The listing of {place or 'the root'} is not one that an object store gives: {reason}.",
        fix="Check the endpoint, and what else lies in this folder.",
        details={"place": place, "reason": reason},
    )
