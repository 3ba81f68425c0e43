"""Google's XML interface in front of an S3 server, on loopback: no server of it can be installed here.

    with run_s3_server() as server, run_google_front(server.endpoint) as front:
        server.make_bucket("lake")
        open_store("gs://lake/table", front.options)

Google's interface is S3's but for its own headers. The front says the one precondition that matters here, "only if
there is no such object", in S3's words, and the generation of what was put in Google's; everything else passes. What it
shows is that Google's client, its options and its errors are used rightly, not what Google's servers do.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import attrs

_SIGNED = "AWS4-HMAC-SHA256 Credential=testing/20200101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
"""The server checks no signature, but that there is one."""
_NOT_PASSED = {"connection", "transfer-encoding", "content-length", "date", "server"}


@attrs.frozen(slots=True)
class GoogleFront:
    """A running front and how to reach it."""

    endpoint: str

    @property
    def options(self) -> dict[str, str]:
        """Storage options for `open_store`: a service account that signs nothing, for this address."""
        account = {"gcs_base_url": self.endpoint, "disable_oauth": True}
        account |= dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
        return {"GOOGLE_SERVICE_ACCOUNT_KEY": json.dumps(account), "GOOGLE_ALLOW_HTTP": "true"}


@contextlib.contextmanager
def run_google_front(target: str) -> Iterator[GoogleFront]:
    """Start a front before the S3 server `target` (`http://host:port`); it ends with the block."""

    class Handler(_Handler):
        host = target.removeprefix("http://")

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield GoogleFront(f"http://127.0.0.1:{server.server_address[1]}")
        server.shutdown()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    host: str

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in http.server
        """Quiet."""

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        headers["authorization"] = _SIGNED
        if headers.pop("x-goog-if-generation-match", None) == "0":
            headers["if-none-match"] = "*"
        connection = http.client.HTTPConnection(self.host, timeout=30)
        try:
            connection.request(self.command, self.path.replace("%2F", "/"), body, headers)
            response = connection.getresponse()
            self._answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    do_GET = do_PUT = do_HEAD = do_DELETE = _serve  # noqa: N815 - the names in http.server

    def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in _NOT_PASSED:
                self.send_header(name, value)
        if self.command == "PUT":
            self.send_header("x-goog-generation", "1")
        length = {name.lower(): value for name, value in headers.items()}.get("content-length")
        self.send_header("Content-Length", length if self.command == "HEAD" and length else str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
