"""The page's server answers the browser that was given its address, and nobody else."""

from __future__ import annotations

import contextlib
import http.client
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.cli.commands.ui import _apply, _open, _paste
from deltaresolver.table import Table
from deltaresolver.ui.app import LONGEST_BODY, ServedTables
from deltaresolver.ui.doorkeeper import Doorkeeper
from tests.unit.ui.served_page import serving


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("ui") / "t")
    Table(place).sql("CREATE TABLE t (id BIGINT) USING delta")
    return place


@pytest.fixture(scope="module")
def door(path: str) -> Iterator[Doorkeeper]:
    with serving(ServedTables((path,), lambda one: _open({}, one), _paste)) as made:
        yield made


Answer = tuple[int, Mapping[str, str], bytes]


def ask(door: Doorkeeper, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", door.port, timeout=30)
    sent = {"Cookie": f"{door.cookie}={door.token}", "Content-Type": "application/json"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    connection.request(method, path, data, sent)
    response = connection.getresponse()
    found = response.status, dict(response.getheaders()), response.read()
    connection.close()
    return found


def test_the_address_lets_in_and_is_gone_from_it_afterwards(door: Doorkeeper) -> None:
    status, headers, _ = ask(door, "GET", f"/?token={door.token}", Cookie="")
    assert (status, headers["location"]) == (303, "/")
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=strict" in headers["set-cookie"]
    status, headers, body = ask(door, "GET", "/")
    assert status == 200
    assert b"What if?" in body
    assert "default-src 'none'" in headers["content-security-policy"]


EVIL = "http://evil.example"


@pytest.mark.parametrize(
    "headers",
    [
        {"Cookie": ""},
        {"Cookie": "deltaresolver-1=x"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1:1"},
        {"Origin": EVIL},
        {"Origin": "null"},
        {"Content_Type": "text/plain"},
    ],
    ids=str,
)
@pytest.mark.parametrize("question", ["/api/open", "/api/answer", "/api/back", "/api/apply"])
def test_requests_of_others_are_refused(door: Doorkeeper, question: str, headers: dict[str, str]) -> None:
    assert ask(door, "POST", question, {}, **headers)[0] == 403


@pytest.mark.parametrize("token", ["", "x", "%00", "ä"])
def test_a_wrong_token_in_the_address_is_refused(door: Doorkeeper, token: str) -> None:
    assert ask(door, "GET", "/?token=" + token.replace("ä", "%C3%A4"), Cookie="")[0] == 403


def test_only_the_tables_that_the_page_was_opened_on_are_answered(door: Doorkeeper, path: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    Table(other).sql("CREATE TABLE t (id BIGINT) USING delta")
    assert ask(door, "POST", "/api/open", {"path": path})[0] == 200
    for place in (other, f"{path}/../t", "/etc", "s3://bucket/t", ""):
        assert ask(door, "POST", "/api/open", {"path": place})[0] == 403


def test_the_page_writes_nothing_without_leave(door: Doorkeeper, path: str) -> None:
    statement = "ALTER TABLE my_table SET TBLPROPERTIES ('delta.appendOnly' = 'true')"
    assert ask(door, "POST", "/api/apply", {"path": path, "statements": [statement]})[0] == 403
    said = json.loads(ask(door, "POST", "/api/answer", {"path": path, "statements": [statement]})[2])
    assert said["commands"]["sql"] == [statement.replace("my_table", f"delta.`{path}`") + ";"]
    assert Table(path).snapshot().table_version == 0


@pytest.mark.parametrize(
    "body", [b"", b"x", b"[]", b"{}x", b'{"path": 1}', b'{"unknown": 1}', b'{"statements": "x"}', b"\xff", b"[" * 10**5]
)
def test_questions_that_cannot_be_read_are_refused(door: Doorkeeper, body: bytes) -> None:
    assert ask(door, "POST", "/api/answer", body)[0] == 400


def test_a_question_that_is_too_long_is_not_read(door: Doorkeeper) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may be told before all of it was sent
        assert ask(door, "POST", "/api/answer", b" " * (LONGEST_BODY + 1))[0] == 413


def test_errors_of_the_library_are_answered_with_code_and_fix(door: Doorkeeper) -> None:
    status, _, body = ask(door, "POST", "/api/open", {"metadata": '{"schemaString": 1}'})
    assert status == 200
    error = json.loads(body)["error"]
    assert error["code"].startswith("DR")
    assert error["fix"]


def test_with_leave_the_page_carries_statements_out(tmp_path: Path) -> None:
    place = str(tmp_path / "t")
    Table(place).sql("CREATE TABLE t (id BIGINT) USING delta")
    with serving(ServedTables((place,), lambda one: _open({}, one), _paste, lambda *one: _apply({}, *one))) as door:
        statement = "ALTER TABLE my_table SET TBLPROPERTIES ('delta.appendOnly' = 'true')"
        done = json.loads(ask(door, "POST", "/api/apply", {"path": place, "statements": [statement]})[2])["done"]
    assert done[0]["table_version"] == 1
    assert Table(place).metadata.configuration["delta.appendOnly"] == "true"


@pytest.mark.parametrize(
    "body", [b'{"path":"\xff\xfe"}', b'{"x":' * 200_000, b'{"metadata":"\\ud800"}', b"[" * 1_000_000]
)
def test_a_body_that_is_not_json_is_refused(door: Doorkeeper, body: bytes) -> None:
    assert ask(door, "POST", "/api/answer", body)[0] == 400
