"""A target that is the answers of an object store: listings, heads, bytes and refusals that no store gives."""

from __future__ import annotations

import functools
import http.server
import json
import random
import threading
from typing import Any, ClassVar

from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.locations import open_store
from tests.fuzz.case import Case, Target
from tests.fuzz.mutation import changed_bytes, changed_text
from tests.fuzz.tables import files_of

_ENTRY = """<Contents><Key>t/{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;x&quot;</ETag>
<Size>{size}</Size><StorageClass>STANDARD</StorageClass></Contents>"""
_LISTING = """<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>lake</Name><KeyCount>{count}</KeyCount>
<MaxKeys>1000</MaxKeys><IsTruncated>{more}</IsTruncated>{entries}</ListBucketResult>"""
_WORDS = (
    *[
        "<",
        ">",
        "</",
        "<Key>",
        "</Key>",
        "t/",
        "../",
        "&amp;",
        "&#0;",
        "&x;",
        "-1",
        "true",
        "<Size>",
        "9999-99-99T00:00:00Z",
        "<html>",
        "]]>",
    ],
    "<!DOCTYPE x [<!ENTITY x 'y'>]>",
    "<NextContinuationToken>a</NextContinuationToken>",
    "9" * 30,
    "\x00",
)
_BODIES = (b"", b"<html>sign in</html>", b"<Error><Code>NoSuchKey</Code></Error>", b"{}")
_STATUSES = (
    "200",
    "200",
    "200",
    "200",
    "200",
    "206",
    "204",
    "301",
    "400",
    "401",
    "403",
    "404",
    "409",
    "412",
    "416",
    "418",
)
_HEADERS = (
    "Content-Range: bytes 0-1/2",
    "Content-Range: bytes x",
    "ETag: ",
    "Last-Modified: never",
    "Content-Length: 5",
    "Location: http://127.0.0.1:1/",
    "Content-Type: text/html",
    "Transfer-Encoding: chunked",
)


def draw_answers(rng: random.Random) -> Case:
    """The files of a table, and odd answers to the first requests: a status, headers and a body each."""
    files = files_of(rng)
    entries = "".join(_ENTRY.format(key=path, size=len(data)) for path, data in sorted(files.items()))
    listing = _LISTING.format(count=len(files), more=rng.choice(("false", "false", "true")), entries=entries)
    answers = {}
    for number in range(rng.randint(1, 3)):
        kind = rng.choice(("listing", "listing", "file", "other"))
        body = changed_text(rng, listing, _WORDS, 4).encode("utf-8", "surrogatepass")
        if kind == "file":
            body = changed_bytes(rng, rng.choice(list(files.values())))
        elif kind == "other":
            body = rng.choice((*_BODIES, rng.randbytes(50)))
        head = [rng.choice(_STATUSES), *rng.sample(_HEADERS, rng.choice((0, 0, 0, 1, 2)))]
        answers[f"answer {number} {kind}"] = "\n".join(head).encode() + b"\n\n" + body
    return {**files, **answers, "listing": listing.encode()}


class _Store(http.server.BaseHTTPRequestHandler):
    """Answers as the case says, and soundly where it says nothing."""

    case: ClassVar[Case] = {}
    left: ClassVar[dict[str, list[str]]] = {}
    protocol_version = "HTTP/1.1"
    timeout = 2

    def do_GET(self) -> None:
        is_listing = "list-type" in self.path
        wanted = next((name for name in self.left["left"] if name.endswith("listing") == is_listing), None)
        if wanted is not None:
            self.left["left"].remove(wanted)
            head, _, body = self.case[wanted].partition(b"\n\n")
            status, *headers = head.decode().split("\n")
            self._answer(int(status), body, headers)
        elif is_listing:
            self._answer(200, self.case["listing"], [])
        else:
            data = self.case.get(self.path.partition("?")[0].removeprefix("/lake/t/"))
            self._answer(404 if data is None else 200, data or b"", [])

    do_HEAD = do_PUT = do_DELETE = do_GET  # noqa: N815 - the names that the server looks for

    def _answer(self, status: int, body: bytes, headers: list[str]) -> None:
        self.close_connection = True
        self.send_response_only(status)
        said = {name: value for name, _, value in (line.partition(": ") for line in headers)}
        usual = {
            "Content-Length": str(len(body)),
            "ETag": '"x"',
            "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT",
            "Connection": "close",
        }
        for name, value in {**usual, **said}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A client that went away."""


@functools.cache
def _server() -> str:
    server = _Server(("127.0.0.1", 0), _Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def use_answers(case: Case) -> None:
    """A table is read from the store and committed to."""
    _Store.case, _Store.left = case, {"left": [name for name in case if name.startswith("answer ")]}
    options = {
        "endpoint": _server(),
        "allow_http": "true",
        "region": "x",
        "skip_signature": "true",
        "max_retries": "0",
        "timeout": "2s",
    }
    store = open_store("s3://lake/t", options)
    for use in (
        lambda: DeltaLog(store).snapshot().files(),
        lambda: DeltaLog(store).history(),
        lambda: list(store.list_below("")),
        lambda: store.put_if_absent("_delta_log/x.json", b"{}"),
        lambda: store.read_range("_delta_log/x", -8, 8),
        lambda: store.look_up("_delta_log/00000000000000000000.json"),
    ):
        try:
            use()
        except DeltaResolverError as error:
            json.dumps(error.to_json(), default=str)


ANSWER_TARGET = Target("answers", draw_answers, use_answers)
