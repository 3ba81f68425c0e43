"""The what-if page's server, asked by raw requests: other hosts, other pages, other tables, bombs that are pasted."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.cli.commands.ui import _open, _paste
from deltaresolver.table import Table
from deltaresolver.ui.app import ServedTables
from deltaresolver.ui.doorkeeper import Doorkeeper
from tests.unit.ui.served_page import serving

SECONDS = 20.0
"""Of processor time in this process, where the server runs in a thread; each takes below one."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The table that is served, and one that is not."""
    folder = tmp_path_factory.mktemp("ui")
    for name in ("t", "secret"):
        Table(str(folder / name)).sql(f"CREATE TABLE t ({name}_column BIGINT) USING delta")
    return str(folder / "t"), str(folder / "secret")


@pytest.fixture(scope="module")
def door(tables: tuple[str, str]) -> Iterator[Doorkeeper]:
    with serving(ServedTables(tables[:1], lambda one: _open({}, one), _paste)) as made:
        yield made


def raw(door: Doorkeeper, line: str, *headers: str, body: bytes = b"") -> tuple[int, bytes]:
    """Status and whole answer to a request as it is given; {port}, {token} and {cookie} stand for the door's."""
    given = {"port": str(door.port), "token": door.token, "cookie": door.cookie}
    lines = [f"{line} HTTP/1.1", *headers, *([f"Content-Length: {len(body)}"] if body else []), "Connection: close"]
    head = "\r\n".join(lines)
    for name, value in given.items():
        head = head.replace(f"{{{name}}}", value)
    with socket.create_connection(("127.0.0.1", door.port), timeout=120) as connection:
        connection.sendall(head.encode("latin-1") + b"\r\n\r\n" + body)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    return int(answer.split(b" ", 2)[1]), answer


HOST, COOKIE, JSON = "Host: 127.0.0.1:{port}", "Cookie: {cookie}={token}", "Content-Type: application/json"
REQUESTS = {
    "two hosts, the wrong one last": ("GET /api/tables", HOST, "Host: evil.example", COOKIE),
    "two hosts, the wrong one first": ("GET /api/tables", "Host: evil.example", HOST, COOKIE),
    "no port": ("GET /api/tables", "Host: 127.0.0.1", COOKIE),
    "a dot after the host": ("GET /api/tables", "Host: localhost.:{port}", COOKIE),
    "a host that ends so": ("GET /api/tables", "Host: evil.localhost:{port}", COOKIE),
    "another loopback": ("GET /api/tables", "Host: 127.0.0.2:{port}", COOKIE),
    "a proxy's host": ("GET /api/tables", "Host: evil.example", "X-Forwarded-Host: 127.0.0.1:{port}", COOKIE),
    "a whole address": ("GET http://evil.example/api/tables", HOST, COOKIE),
    "an origin of null": ("GET /api/tables", HOST, COOKIE, "Origin: null"),
    "another port's page": ("GET /api/tables", HOST, COOKIE, "Origin: http://127.0.0.1:1"),
    "another scheme's page": ("GET /api/tables", HOST, COOKIE, "Origin: https://127.0.0.1:{port}"),
    "an empty cookie": ("GET /api/tables", HOST, "Cookie: {cookie}="),
    "a cookie of bytes": ("GET /api/tables", HOST, "Cookie: {cookie}=\xff\xfe"),
    "another port's cookie": ("GET /api/tables", HOST, "Cookie: deltaresolver-1={token}"),
    "the token at another page": ("GET /api/tables?token={token}", HOST),
    "the token under another name": ("GET /?token={token}", "Host: evil.example"),
    "a token of bytes": ("GET /?token=%ED%A0%80%FF", HOST),
    "another method": ("PUT /api/open", HOST, COOKIE, JSON),
    "a method in a header": ("GET /api/open", HOST, COOKIE, "X-HTTP-Method-Override: POST"),
    "asking for leave": (
        "OPTIONS /api/open",
        HOST,
        "Origin: http://evil.example",
        "Access-Control-Request-Method: POST",
    ),
    "a slash too many": ("GET /api/tables/", "Host: evil.example"),
    "up": ("GET /../../etc/passwd", HOST, COOKIE),
    "up, encoded": ("GET /%2e%2e/%2e%2e/etc/passwd", HOST, COOKIE),
    "up from a page": ("GET /page.css/../../../etc/passwd", HOST, COOKIE),
    "two slashes": ("GET //evil.example/", HOST, COOKIE),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_an_attack_by_request_is_refused(name: str, door: Doorkeeper, tables: tuple[str, str]) -> None:
    status, answer = raw(door, *REQUESTS[name])
    assert 400 <= status < 500
    assert tables[0].encode() not in answer
    assert b"set-cookie" not in answer.lower()
    assert b"evil.example" not in answer


def test_the_same_request_without_the_attack_is_answered(door: Doorkeeper, tables: tuple[str, str]) -> None:
    status, answer = raw(door, "GET /api/tables", HOST, COOKIE)
    assert (status, tables[0].encode() in answer) == (200, True)


def post(door: Doorkeeper, path: str, question: object) -> tuple[int, dict[str, Any]]:
    """The answer to a question of the page."""
    body = question if isinstance(question, bytes) else json.dumps(question).encode()
    status, answer = raw(door, f"POST {path}", HOST, COOKIE, JSON, body=body)
    return status, json.loads(answer.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize(
    "place",
    ["{secret}", "{t}/../secret", "{t}/", "{t}/.", "file://{t}", "{t}\0", "", ".", "s3://evil/t", "http://127.0.0.1:1/t"],
)  # fmt: skip
def test_no_other_path_is_opened(place: str, door: Doorkeeper, tables: tuple[str, str]) -> None:
    status, answer = post(door, "/api/open", {"path": place.format(t=tables[0], secret=tables[1])})
    assert (status, "secret_column" in json.dumps(answer)) == (403, False)


def metadata(**values: object) -> str:
    """Metadata as it is pasted."""
    empty = {"id": "i", "format": {"provider": "parquet", "options": {}}, "partitionColumns": [], "configuration": {}}
    return json.dumps({**empty, "schemaString": '{"type":"struct","fields":[]}', **values})


def nested(levels: int) -> str:
    """A schema with an array of arrays."""
    kind = '{"type":"array","elementType":' * levels + '"long"' + ',"containsNull":true}' * levels
    return f'{{"type":"struct","fields":[{{"name":"a","type":{kind},"nullable":true,"metadata":{{}}}}]}}'


PASTED = {
    "nested": metadata(schemaString=nested(20_000)),
    "nested a little": metadata(schemaString=nested(400)),
    "features": metadata(configuration={f"delta.feature.f{number}": "supported" for number in range(50_000)}),
    "properties": metadata(configuration={f"k{number}": "v" for number in range(100_000)}),
    "constraints": metadata(configuration={f"delta.constraints.c{n}": "a > " + "(" * 500 for n in range(2_000)}),
    "a long name": metadata(name="x" * 3_000_000),
    "a long number": metadata(configuration={"delta.minWriterVersion": "9" * 1_000_000}),
    "half a pair": '{"id":"\\ud800"}',
    "brackets": "[" * 300_000,
    "blanks": " \n" * 1_000_000,
    "a page": "<html>",
}


@pytest.mark.parametrize("name", PASTED)
def test_pasted_metadata_is_answered_soon(name: str, door: Doorkeeper) -> None:
    began = time.process_time()
    status, answer = post(door, "/api/open", {"metadata": PASTED[name]})
    assert (status, isinstance(answer, dict)) == (200, True)
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE my_table ADD COLUMNS (a " + "ARRAY<" * 50_000 + "INT" + ">" * 50_000 + ")",
        "ALTER TABLE my_table ADD COLUMNS (a " + "STRUCT<a:" * 400 + "INT" + ">" * 400 + ")",
        "ALTER TABLE my_table ADD CONSTRAINT c CHECK (" + "(" * 2_000 + "1" + ")" * 2_000 + ")",
        "ALTER TABLE my_table " + "(" * 50_000,
        "'" * 50_000,
    ],
    ids=["arrays", "structs", "parentheses", "open", "quotes"],
)
@pytest.mark.parametrize("path", ["/api/answer", "/api/back"])
def test_statements_that_are_bombs_end_in_a_code(
    path: str, statement: str, door: Doorkeeper, tables: tuple[str, str]
) -> None:
    began = time.process_time()
    status, answer = post(door, path, {"path": tables[0], "statements": [statement]})
    assert (status, answer["error"]["code"][:2]) == (200, "DR")
    assert time.process_time() - began < SECONDS


BODIES = {
    "half a pair": b'{"path":"\\ud800"}',
    "the other half": b'{"metadata":"\\udfff"}',
    "brackets": b"[" * 1_000_000,
    "null": b"null",
    "a number": b'{"path":' + b"9" * 3_000_000 + b"}",
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies_that_are_bombs_are_refused(name: str, door: Doorkeeper) -> None:
    assert post(door, "/api/open", BODIES[name])[0] == 400


def test_a_slow_sender_does_not_hold_up_others(door: Doorkeeper) -> None:
    head = f"POST /api/open HTTP/1.1\r\nHost: 127.0.0.1:{door.port}\r\nCookie: {door.cookie}={door.token}\r\n{JSON}\r\n"
    slow = [socket.create_connection(("127.0.0.1", door.port)) for _ in range(60)]
    try:
        for connection in slow:
            connection.sendall(head.encode() + b"Content-Length: 4000000\r\n\r\n{")
        assert raw(door, "GET /api/tables", HOST, COOKIE)[0] == 200
    finally:
        for connection in slow:
            connection.close()


def test_the_table_is_as_it_was(door: Doorkeeper, tables: tuple[str, str]) -> None:
    for statement in ("ALTER TABLE my_table SET TBLPROPERTIES ('a'='b')", "DROP TABLE my_table"):
        post(door, "/api/answer", {"path": tables[0], "statements": [statement]})
        assert post(door, "/api/apply", {"path": tables[0], "statements": [statement]})[0] == 403
    assert sorted(file.name for file in Path(tables[0], "_delta_log").iterdir() if file.suffix == ".json") == [
        f"{0:020}.json"
    ]
