"""Answers that end: a server may go on with a listing or a page of it for ever, or send more than was asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from deltaresolver.errors import StorageAnswerError, StorageUnavailableError
from deltaresolver.log.storage.given_up import (
    Ask,
    Bounds,
    Strikes,
    TooHeavyError,
    TooLateError,
    fetched,
    fetched_in_tries,
)
from deltaresolver.log.storage.local_read import MAX_WHOLE_BYTES

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
PAGE_BYTES = 256 << 20
"""Of memory for some entries, whose names take some megabytes."""
WHOLE_BYTES = 4 << 30
"""Of memory for a listing that the client joins by itself."""
_END: Sequence[ObjectMeta] = ()


def bounded_pages(
    start: Callable[[], AsyncIterator[Sequence[ObjectMeta]]], most: int, place: str
) -> Iterator[Sequence[ObjectMeta]]:
    """The pages as they come; `start` begins the listing, again where a page was given up.

    Raises `StorageAnswerError` beyond `most` entries, for keys that no store has and for a page that takes too long or
    too much memory; and what the client raises.
    """
    strikes, seen, pages = Strikes(), _Seen(), start()
    while True:
        try:
            page = fetched(partial(_next_of, pages), Bounds(PAGE_SECONDS, PAGE_BYTES))
        except TooLateError as error:
            raise _late(place, PAGE_SECONDS) from error
        except TooHeavyError as error:
            if strikes.add(error):
                raise _heavy(place, PAGE_BYTES) from error
            seen.skip, pages = seen.count, start()
            continue
        if not page and not seen.skip:
            return
        if page := seen.new_of(page, place):
            _ensure_possible(page, seen.count, most, place)
            yield page


def whole(ask: Ask[T], place: str) -> T:
    """A listing that the client joins by itself. Raises `StorageAnswerError` where it takes too much time or memory."""
    try:
        return fetched_in_tries(ask, Bounds(WHOLE_SECONDS, WHOLE_BYTES))
    except TooLateError as error:
        raise _late(place, WHOLE_SECONDS) from error
    except TooHeavyError as error:
        raise _heavy(place, WHOLE_BYTES) from error


async def _next_of(pages: AsyncIterator[Sequence[ObjectMeta]]) -> Sequence[ObjectMeta]:
    try:
        return await pages.__anext__()
    except StopAsyncIteration:
        return _END


@attrs.define
class _Seen:
    """What a listing had so far, which is passed over where it begins again."""

    count: int = 0
    skip: int = 0
    _last: str = ""

    def new_of(self, page: Sequence[ObjectMeta], place: str) -> Sequence[ObjectMeta]:
        """The entries of a page that were not there before. Raises `StorageAnswerError` where others were."""
        old = min(self.skip, len(page))
        if self.skip and (not page or (old == self.skip and page[old - 1]["path"] != self._last)):
            raise _no_listing(place, "it gave other names when it was asked for again")
        self.skip -= old
        new = page[old:]
        if new:
            self.count, self._last = self.count + len(new), new[-1]["path"]
        return new


def _ensure_possible(page: Sequence[ObjectMeta], count: int, most: int, place: str) -> None:
    if count > most:
        raise _no_listing(place, f"it has more than {most:,} entries")
    for found in page:
        if len(found["path"]) > MAX_KEY_CHARACTERS:
            raise _no_listing(place, f"it has a key of {len(found['path']):,} characters")


def _late(place: str, seconds: float) -> StorageAnswerError:
    return _no_listing(place, f"nothing came of it in {seconds:,.0f} seconds, while the server answered")


def _heavy(place: str, growth: int) -> StorageAnswerError:
    return _no_listing(place, f"one answer takes more than {growth:,} bytes of memory")


def _no_listing(place: str, reason: str) -> StorageAnswerError:
    return StorageAnswerError(
        f"The listing of {place or 'the root'} is not one that an object store gives: {reason}.",
        fix="Check the endpoint, and what else lies in this folder.",
        details={"place": place, "reason": reason},
    )


def ensure_readable_at_once(size: int, place: str) -> None:
    """Raises `StorageUnavailableError` for a file that is longer than what is read at once of a local one."""
    if size > MAX_WHOLE_BYTES:
        raise StorageUnavailableError(
            f"Could not read {place}: it is longer than the {MAX_WHOLE_BYTES:,} bytes that are read at once.",
            fix="Find out who wrote a file of this size there.",
            details={"path": place, "bytes": size},
        )


def first_bytes(pieces: Iterable[Any], most: int, place: str) -> bytes:
    """The pieces as one. Raises `StorageAnswerError` once they are more than the `most` that were asked for."""
    found: list[bytes] = []
    length = 0
    for piece in pieces:
        found.append(bytes(piece))
        length += len(found[-1])
        if length > most:
            raise StorageAnswerError(
                f"What answers for {place} is not an object store: of {most:,} bytes that were asked for it sent more.",
                fix="Check the endpoint: a proxy, a sign-in page or a web server answers in its place.",
                details={"path": place, "asked": most},
            )
    return found[0] if len(found) == 1 else b"".join(found)
