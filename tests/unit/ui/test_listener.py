"""The socket of the page: on loopback, and without the wait for acknowledgements that browsers put off."""

from __future__ import annotations

import contextlib
import socket

import pytest

from deltaresolver.ui.listener import listening


def test_an_answer_in_two_parts_is_sent_at_once() -> None:
    with contextlib.closing(listening(0)) as listener:
        listener.listen()
        assert listener.getsockname()[0] == "127.0.0.1"
        with socket.create_connection(listener.getsockname()), contextlib.closing(listener.accept()[0]) as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken_is_an_error() -> None:
    with contextlib.closing(listening(0)) as first:
        first.listen()
        with pytest.raises(OSError, match="in use"):
            listening(first.getsockname()[1])
