"""Messages between processes: one letter, a length, and that many bytes."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

_HEAD = struct.Struct(">cQ")
_PIECE = 1 << 18

Frame = tuple[bytes, bytes]
"""A letter, and the bytes after it."""


class FrameTooLongError(Exception):
    """The other side announces more bytes than it may send."""


def framed(letter: bytes, data: bytes) -> bytes:
    """The bytes of one frame."""
    return _HEAD.pack(letter, len(data)) + data


def send(to: socket.socket, letter: bytes, data: bytes = b"") -> None:
    """Send one whole frame. Raises `OSError` where the other side is gone."""
    if len(data) > _PIECE:
        to.sendall(_HEAD.pack(letter, len(data)))
        to.sendall(data)
    else:
        # In one write, or the other side would wake up for the nine bytes of the header.
        to.sendall(framed(letter, data))


class Frames:
    """Frames received in pieces. A frame has at most `most` bytes, so that the other side cannot fill the memory."""

    def __init__(self, source: socket.socket, most: int | None = None) -> None:
        self._source = source
        self._most = most
        self._waiting = bytearray()

    def come(self) -> list[Frame] | None:
        """Read once and return the frames that are complete now; None at the end. Raises `FrameTooLongError`."""
        try:
            piece = self._source.recv(_PIECE)
        except ConnectionError:
            return None
        if not piece:
            return None
        self._waiting += piece
        return list(self._whole())

    def wait(self) -> Frame | None:
        """The next frame; None at the end. For sides that send one frame and wait for the answer."""
        while True:
            for frame in self._whole():
                return frame
            try:
                piece = self._source.recv(_PIECE)
            except ConnectionError:
                return None
            if not piece:
                return None
            self._waiting += piece

    def _whole(self) -> Iterator[Frame]:
        while len(self._waiting) >= _HEAD.size:
            letter, length = _HEAD.unpack_from(self._waiting)
            if self._most is not None and length > self._most:
                raise FrameTooLongError
            end = _HEAD.size + length
            if len(self._waiting) < end:
                return
            data = bytes(self._waiting[_HEAD.size : end])
            del self._waiting[:end]
            yield letter, data
