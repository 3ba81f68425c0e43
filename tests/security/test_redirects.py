"""A store that sends its callers on to another server: no key and no token goes along."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

CALLER = """
import json, sys
from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.storage.locations import open_store
store = open_store(sys.argv[1], json.loads(sys.argv[2]))
for act in (lambda: store.read("a.json"), lambda: store.put("b.json", b"rows"), lambda: store.delete("c.json")):
    try:
        act()
    except DeltaResolverError as error:
        print(error)
"""
SERVICES: dict[str, tuple[str, dict[str, str]]] = {
    "S3": (
        "s3://b/t",
        {"aws_endpoint": "{}", "access_key_id": "PLANTED", "secret_access_key": "PLANTED", "region": "x"},
    ),
    "Azure, by token": (
        "az://c/t",
        {"azure_endpoint": "{}", "azure_storage_account_name": "a", "azure_storage_token": "PLANTED"},
    ),
    "Azure, by a shared key": (
        "az://c/t",
        {"azure_endpoint": "{}", "azure_storage_account_name": "a", "azure_storage_account_key": "UExBTlRFRA=="},
    ),
    "Google": ("gs://b/t", {"google_base_url": "{}", "google_bearer_token": "PLANTED"}),
}


@contextlib.contextmanager
def serving(received: list[str], target: str | None = None) -> Iterator[str]:
    """A server that notes what it gets, and sends everybody on to `target` if there is one."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            received.append(json.dumps([self.command, self.path, headers]))
            self.rfile.read(int(headers.get("content-length", 0)))
            self.send_response(200 if target is None else 307)
            if target is not None:
                self.send_header("Location", target + self.path.partition("?")[0])
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer  # noqa: N815 - the library's names

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


SIGNED = {"azure_endpoint": "{}", "azure_storage_account_name": "a", "azure_storage_sas_token": "?sv=1&sig=PLANTED"}
"""The HTTP client tells a server which page has sent it there, and there is no option against that."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "options"),
    [
        *(pytest.param(*found, id=name) for name, found in SERVICES.items()),
        pytest.param(
            "az://c/t", SIGNED, id="Azure, by a signed address",
            marks=pytest.mark.xfail(strict=True, reason="the client sends a Referer"),
        ),
    ],
)  # fmt: skip
def test_no_credential_follows_a_redirect_to_another_server(place: str, options: dict[str, str]) -> None:
    asked: list[str] = []
    got: list[str] = []
    with serving(got) as evil, serving(asked, evil) as store:
        given = {**options, "allow_http": "true", "max_retries": "0", "retry_timeout": "5s"}
        given = {key: value.replace("{}", store) for key, value in given.items()}
        done = subprocess.run(
            [sys.executable, "-c", CALLER, place, json.dumps(given)],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert asked
    assert any('"authorization"' in one or "PLANTED" in one for one in asked)
    assert not [one for one in got if "PLANTED" in one or '"authorization"' in one]
    assert "PLANTED" not in done.stdout + done.stderr
