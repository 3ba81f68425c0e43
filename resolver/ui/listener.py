"""The socket that the page is served on: loopback, and nothing that is sent waits for more to send."""

from __future__ import annotations

import socket

HOST = "127.0.0.1"


def listening(port: int) -> socket.socket:
    """A socket bound to a port of this machine, or to any free one for 0. Raises `OSError`.

    An answer is sent as head and body. Without TCP_NODELAY the body waits for the head's acknowledgement, which a
    browser puts off for 40 milliseconds; asyncio sets it only for sockets that it has made itself.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind((HOST, port))
    except OSError:
        listener.close()
        raise
    return listener
