"""A catalog's server whose answers are odd: an error with a code, soon, and nothing odd in what is found."""

from __future__ import annotations

import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.audit.catalogs import unity
from deltaresolver.audit.catalogs.unity import find_in_unity
from deltaresolver.errors import CatalogUnreadableError
from tests.security.budget import run

Answer = Callable[[socket.socket], None]


def raw(data: bytes) -> Answer:
    return lambda connection: connection.sendall(data)


def page(content: Any) -> bytes:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def dripping(head: bytes) -> Answer:
    def answer(connection: socket.socket) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(b"a")
            time.sleep(0.05)

    return answer


NO_ANSWERS = {
    "no HTTP": raw(b"garbage\r\n\r\n"),
    "another HTTP": raw(b"HTTP/9.9 200 OK\r\n\r\n"),
    "no status": raw(b"HTTP/1.1 99999 x\r\n\r\n"),
    "nothing": raw(b""),
    "a long line": raw(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n"),
    "many headers": raw(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X%d: a\r\n" % at for at in range(500)) + b"\r\n"),
    "a chunk that is none": raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}"),
    "half a chunk": raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}"),
    "only to go on": raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "another server": raw(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
    "a refusal that steers": raw(b"HTTP/1.1 401 \x1b[2J\r\nContent-Length: 0\r\n\r\n"),
    "deep lists": raw(page(b"[" * 200_000)),
    "10,000 digits": raw(page(b'{"tables":' + b"9" * 10_000 + b"}")),
    "encoded": raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n\x1f\x8b123"),
    "half an answer": raw(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"tables": ['),
    "a list": raw(page([])),
    "tables that are none": raw(page({"tables": {"name": "t"}})),
    "names that are none": raw(page({"tables": [{"name": ["t"]}]})),
    "a name that is empty": raw(page({"tables": [{"name": ""}]})),
}


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], str]]:
    """Starts a server that answers each request so; the root that leads to it."""
    listening: list[socket.socket] = []

    def start(answer: Answer) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        listening.append(server)

        def one(connection: socket.socket) -> None:
            with connection:
                try:
                    while not connection.recv(65_536).endswith(b"\r\n\r\n"):
                        pass
                    answer(connection)
                except OSError:
                    pass

        def accept() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=one, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        return f"unity:http://127.0.0.1:{server.getsockname()[1]}/m.s"

    yield start
    for server in listening:
        server.close()


@pytest.mark.parametrize("which", NO_ANSWERS)
def test_a_reply_that_is_not_an_answer_is_an_error_with_a_code(serve: Callable[[Answer], str], which: str) -> None:
    root = serve(NO_ANSWERS[which])
    with pytest.raises(CatalogUnreadableError):
        list(find_in_unity(root))
    ended = run("audit", root, "--workers", "1")
    assert (ended.code, "DR805" in ended.err + ended.out, "\x1b" in ended.err + ended.out) == (2, True, False)


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "])
def test_an_answer_byte_by_byte_is_given_up(
    serve: Callable[[Answer], str], head: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unity, "_WHOLE_SECONDS", 0.5)
    with pytest.raises(CatalogUnreadableError, match="takes more than"):
        list(find_in_unity(serve(dripping(head))))


def test_reading_an_endless_list_ends(serve: Callable[[Answer], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unity, "_MAX_LISTED", 5000)
    numbers = itertools.count()

    def answer(connection: socket.socket) -> None:
        tables = [{"name": f"t{number}"} for number in range(100)]
        connection.sendall(page({"tables": tables, "next_page_token": str(next(numbers))}))

    with pytest.raises(CatalogUnreadableError, match="more than 5,000 tables"):
        list(find_in_unity(serve(answer)))


def test_a_value_that_is_not_text_is_neither_a_location_nor_an_owner(serve: Callable[[Answer], str]) -> None:
    odd: list[Any] = [{"a": 1}, [1], True, 5, None, ""]
    tables = [{"name": "t", "data_source_format": "DELTA", "storage_location": one} for one in odd]
    tables += [{"name": "t", "data_source_format": "delta", "storage_location": "/t", "owner": one} for one in odd]
    found = list(find_in_unity(serve(raw(page({"tables": tables})))))
    assert [(one.location, one.owner) for one in found] == [("/t", None)] * len(odd)


def test_invalid_locations_do_not_end_an_audit(serve: Callable[[Answer], str], tmp_path: Path) -> None:
    odd = (
        "\ud800",
        "a\0b",
        "http://x/y",
        "file://host/x",
        " ",
        "s3://",
        "s3:x",
        "\x1b[2J",
        "~nobody/x",
        "::error::x",
        "abfss://a",
    )
    tables = [
        {"name": f"t{at}\x1b[2J\n", "data_source_format": "DELTA", "storage_location": one}
        for at, one in enumerate(odd)
    ]
    tables.append({"name": "\udfff", "data_source_format": "DELTA", "storage_location": "/nowhere", "owner": "\ud800"})
    ended = run("audit", serve(raw(page({"tables": tables}))), "--workers", "1", "--json", tmp_path / "audit.json")
    assert ended.code in {0, 1, 2}
    assert (tmp_path / "audit.json").read_text(encoding="utf-8")
    assert "\x1b" not in ended.out + ended.err
