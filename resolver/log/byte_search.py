"""Whether some bytes occur in others, as fast as the machine can tell, and without holding Python's lock.

The C library's `memmem` searches several times faster than `bytes.find`, and lets other threads read on.
Where there is none, `bytes.find` does the same work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

_WORTH_A_CALL = 1 << 11
"""Below this many bytes a call into C costs more than it saves."""

_WORTH_LOADING = 1 << 22
"""As many bytes are searched plainly in the 2 ms that it takes to load what calls into C."""

_left_to_search_plainly = [_WORTH_LOADING]
"""How much of that this process has left: most commands read a few small commits, and end."""


@cache
def _memmem() -> Callable[[bytes | int, int, bytes, int], int | None] | None:
    # A small log never gets here.
    import ctypes  # noqa: PLC0415

    try:
        function = ctypes.CDLL(None).memmem
    except (OSError, AttributeError, TypeError):
        return None
    function.restype = ctypes.c_void_p
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    found: Callable[[bytes | int, int, bytes, int], int | None] = function
    return found


def _address_of(data: bytes) -> int:
    import ctypes  # noqa: PLC0415 - loaded by now

    address = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
    assert address is not None
    return address


def contains(data: bytes, needle: bytes) -> bool:
    """Whether `needle` occurs in `data`."""
    if len(data) < _WORTH_A_CALL:
        return needle in data
    if _left_to_search_plainly[0] > 0:
        _left_to_search_plainly[0] -= len(data)
        return needle in data
    search = _memmem()
    if search is None:
        return needle in data
    return search(data, len(data), needle, len(needle)) is not None


def find_each(data: bytes, needle: bytes) -> Iterator[int]:
    """Where `needle` occurs in `data`, without overlap."""
    search = _memmem()
    if search is None:
        place = data.find(needle)
        while place >= 0:
            yield place
            place = data.find(needle, place + len(needle))
        return
    begin = _address_of(data)
    end, place_in_memory = begin + len(data), search(data, len(data), needle, len(needle))
    while place_in_memory is not None:
        yield place_in_memory - begin
        behind = place_in_memory + len(needle)
        place_in_memory = search(behind, end - behind, needle, len(needle))


def _contains_plainly(data: bytes, needle: bytes) -> bool:
    return needle in data


def contains_any(data: bytes, needles: Sequence[bytes]) -> bool:
    """Whether one of `needles` occurs in `data`."""
    search = _contains_plainly if len(data) < _WORTH_A_CALL else contains
    for needle in needles:  # noqa: SIM110 - asked of every commit of a log, and `any` takes three times as long
        if search(data, needle):
            return True
    return False
