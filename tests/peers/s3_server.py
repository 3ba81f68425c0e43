"""A real S3-compatible server in a process of its own, on loopback: moto's application behind a socket.

    with run_s3_server() as server:
        server.make_bucket("lake")
        open_store("s3://lake/table", server.options)

moto looks whether a key exists and writes it in two steps, so under threads two conditional puts could both win, which
no S3 does. The server therefore lets one request at a time into the application; connections stay concurrent.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import attrs

Application = Callable[..., Iterable[bytes]]


@attrs.frozen(slots=True)
class S3Server:
    """A running server and how to reach it."""

    endpoint: str
    pid: int

    @property
    def options(self) -> dict[str, str]:
        """Storage options for `open_store`; the server checks no credentials."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }

    def make_bucket(self, name: str) -> None:
        """Create an empty bucket."""
        request = urllib.request.Request(f"{self.endpoint}/{name}", method="PUT")
        with urllib.request.urlopen(request, timeout=30):
            pass


@contextlib.contextmanager
def run_s3_server() -> Iterator[S3Server]:
    """Start a server on a free port; it ends with the block, and with this process however that ends."""
    process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        port = process.stdout.readline().strip()
        if not port:
            raise RuntimeError(f"the S3 server ended with code {process.wait()} before it served")
        yield S3Server(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.stdin.close()
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


def _serve() -> None:
    import logging

    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    application = _one_at_a_time(_by_service(DomainDispatcherApplication(create_backend_app), create_backend_app("s3")))
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=MotoRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()  # ends when the parent closes it or dies


def _by_service(any_service: Application, s3: Application) -> Application:
    """S3's own application for what is signed for S3: to find the one of a request, moto looks for 175 folders."""

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        signed_for_s3 = "/s3/aws4_request" in environ.get("HTTP_AUTHORIZATION", "")
        return (s3 if signed_for_s3 else any_service)(environ, start_response)

    return serve


def _one_at_a_time(application: Application) -> Application:
    turn = threading.Lock()

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with turn:
            return list(application(environ, start_response))

    return serve


if __name__ == "__main__":
    _serve()
