"""An unreliable network: a proxy in front of a server that does to requests what real networks do to them."""

from __future__ import annotations

import contextlib
import enum
import http.client
import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any


class Fate(enum.Enum):
    """What becomes of a request."""

    DELIVER = "delivered, and answered"
    LOSE_ANSWER = "delivered, but the connection ends before the answer"
    FAIL_AFTER = "delivered, but answered with 500"
    LOSE_REQUEST = "never delivered"
    SLOW_DOWN = "answered with 503, not delivered"
    CONFLICT = "answered with 409, as S3 does when another conditional put is under way"
    FORBID = "answered with 403, not delivered"


class LossyProxy:
    """Where to connect, and the fates of the next requests of a kind; when they are used up all goes well."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.endpoint = ""
        self.fates: list[tuple[str, Fate]] = []
        self.requests: list[str] = []
        self.last_headers: dict[str, str] = {}
        self._every: dict[str, int] = {}

    def plan(self, method: str, *fates: Fate) -> None:
        """The next requests with this method have these fates, in order."""
        self.fates += [(method, fate) for fate in fates]

    def lose_every(self, method: str, number: int) -> None:
        """From now on every `number`th request with this method is delivered and its answer lost."""
        self._every[method] = number

    def next_fate(self, method: str) -> Fate:
        """Takes the next planned fate for a method."""
        self.requests.append(method)
        for place, (planned, fate) in enumerate(self.fates):
            if planned == method:
                del self.fates[place]
                return fate
        every = self._every.get(method)
        return Fate.LOSE_ANSWER if every and self.requests.count(method) % every == 0 else Fate.DELIVER


@contextlib.contextmanager
def run_lossy_proxy(target: str) -> Iterator[LossyProxy]:
    """Start a proxy on loopback before `target` (`http://host:port`)."""
    proxy = LossyProxy(target)

    class Handler(_Handler):
        plan = proxy

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that went away is part of the plan."""

    with Server(("127.0.0.1", 0), Handler) as server:
        proxy.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield proxy
        server.shutdown()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    plan: LossyProxy

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in http.server
        """Quiet."""

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.plan.last_headers = {name.lower(): value for name, value in self.headers.items()}
        fate = self.plan.next_fate(self.command)
        answer = {
            Fate.SLOW_DOWN: (503, "SlowDown"),
            Fate.CONFLICT: (409, "ConditionalRequestConflict"),
            Fate.FORBID: (403, "AccessDenied"),
        }.get(fate)
        if fate is Fate.LOSE_REQUEST:
            return
        if answer is None:
            status, headers, content = self._deliver(body)
            if fate is Fate.LOSE_ANSWER:
                return
            if fate is Fate.DELIVER:
                self._answer(status, headers, content)
                return
            answer = (500, "InternalError")
        self._answer(answer[0], [], f"<Error><Code>{answer[1]}</Code></Error>".encode())

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = _serve  # noqa: N815 - the names in http.server

    def _deliver(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(self.plan.target.removeprefix("http://"), timeout=30)
        try:
            connection.request(self.command, self.path, body, dict(self.headers))
            response = connection.getresponse()
            return response.status, response.getheaders(), response.read()
        finally:
            connection.close()

    def _answer(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in {"connection", "transfer-encoding", "content-length", "date", "server"}:
                self.send_header(name, value)
        length = {name.lower(): value for name, value in headers}.get("content-length")
        self.send_header("Content-Length", length if self.command == "HEAD" and length else str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
