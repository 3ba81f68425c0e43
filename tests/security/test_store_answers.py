"""Stores whose answers are encoded, whose listings never end, or that name what no store has."""

from __future__ import annotations

import gzip
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import attrs
import pytest

from deltaresolver.errors import DeltaResolverError, StorageAnswerError, StorageUnavailableError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage import bounded_answers, object_listing
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.object_store import ObjectStore
from tests.fuzz.law import peak_kilobytes
from tests.logs import PROTOCOL, add, lines, metadata

LOCATIONS = {"S3": "s3://b/t", "Azure": "az://c/t", "Google": "gs://b/t"}
S3_LISTING = """<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>{more}</IsTruncated>{token}
{entries}</ListBucketResult>"""
S3_ENTRY = """<Contents><Key>t/{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>x</ETag>
<Size>{size}</Size></Contents>"""
AZURE_LISTING = """<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>{entries}</Blobs>{token}
</EnumerationResults>"""
AZURE_ENTRY = """<Blob><Name>t/{key}</Name><Properties><Last-Modified>Thu, 01 Jan 2026 00:00:00 GMT</Last-Modified>
<Content-Length>{size}</Content-Length><Content-Type>x</Content-Type><Etag>x</Etag></Properties></Blob>"""

Pages = Iterator[list[tuple[str, int]]]
COMMIT = lines([PROTOCOL, metadata(), add("a.parquet")])


def endless(page: Callable[[int], list[tuple[str, int]]]) -> Pages:
    return (page(number) for number in itertools.count())


@attrs.define
class FakeStore:
    """What a server has and how it lists; every page but the last says that there are more."""

    service: str
    endpoint: str = ""
    files: dict[str, bytes] = attrs.Factory(dict)
    headers: dict[str, str] = attrs.Factory(dict)
    pages: Pages | None = None
    encode: Callable[[bytes], bytes] = bytes
    flood: int | None = None
    """Every answer is so many bytes of nothing."""
    endless_body: bytes = b""
    """Every listing begins so and never ends."""

    def open(self) -> ObjectStore:
        options = {
            "S3": {"aws_endpoint": self.endpoint, "aws_skip_signature": "true", "region": "x"},
            "Azure": {
                "azure_endpoint": self.endpoint,
                "azure_storage_account_name": "a",
                "azure_skip_signature": "true",
            },
            "Google": {"google_base_url": self.endpoint, "google_skip_signature": "true"},
        }[self.service]
        opened = open_store(LOCATIONS[self.service], {**options, "allow_http": "true", "max_retries": "0"})
        assert isinstance(opened, ObjectStore)
        return opened

    def listing(self) -> bytes:
        page = (
            [(key, len(data)) for key, data in sorted(self.files.items())] if self.pages is None else next(self.pages)
        )
        is_azure, more = self.service == "Azure", self.pages is not None
        mark = "NextMarker" if is_azure else "NextContinuationToken"
        entry = AZURE_ENTRY if is_azure else S3_ENTRY
        return (
            (AZURE_LISTING if is_azure else S3_LISTING)
            .format(
                more=str(more).lower(),
                token=f"<{mark}>on</{mark}>" if more else "",
                entries="".join(entry.format(key=key, size=size) for key, size in page),
            )
            .encode()
        )


@pytest.fixture(params=LOCATIONS)
def fake(request: pytest.FixtureRequest) -> Iterator[FakeStore]:
    store = FakeStore(request.param)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if store.flood is not None:
                self.flood(store.flood)
                return
            is_listing = "comp=list" in self.path or "list-type" in self.path
            if is_listing and store.endless_body:
                self.go_on(store.endless_body)
                return
            name = self.path.partition("?")[0].partition("/t")[2].replace("%2F", "/").replace("%5F", "_")
            found = store.listing() if is_listing else store.files.get(name.replace("%2E", ".").lstrip("/"))
            self.send_response(404 if found is None else 200)
            body = store.encode(found or b"")
            usual = {"ETag": '"x"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "x-ms-version": "2021-01-01"}
            for header, value in {**usual, "Content-Length": str(len(body)), **store.headers}.items():
                self.send_header(header, value)
            self.end_headers()
            self.wfile.write(body)

        def go_on(self, beginning: bytes) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(beginning)
            while True:
                self.wfile.write(b" " * (1 << 20))

        def flood(self, size: int) -> None:
            wanted = self.headers.get("Range", self.headers.get("x-ms-range"))
            self.send_response(200 if wanted is None else 206)
            usual = {"ETag": '"x"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "x-ms-version": "2021-01-01"}
            for header, value in {**usual, "Content-Length": str(size)}.items():
                self.send_header(header, value)
            if wanted is not None:
                self.send_header("Content-Range", "bytes 0-9/10")
            self.end_headers()
            for _ in range(size >> 20):
                self.wfile.write(bytes(1 << 20))

        do_HEAD = do_PUT = do_GET  # noqa: N815 - the names in http.server

        def log_message(self, *_: object) -> None:
            """Nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """A client that went away."""

    server = Server(("127.0.0.1", 0), Handler)
    store.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield store
    server.shutdown()
    server.server_close()
    thread.join()


def test_an_honest_answer_is_read(fake: FakeStore) -> None:
    fake.files[commit_path(0)] = COMMIT
    assert DeltaLog(fake.open()).snapshot().files().num_rows == 1


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, gzip", "identity", "x"])
def test_an_encoded_answer_is_not_decoded(fake: FakeStore, encoding: str) -> None:
    """Half a megabyte that would become half a gigabyte stays what it is, whatever its header says."""
    fake.files[commit_path(0)] = COMMIT
    fake.headers["Content-Encoding"] = encoding
    bomb = gzip.compress(bytes(64 << 20))
    fake.encode = lambda _: bomb
    before = peak_kilobytes()
    assert fake.open().read(commit_path(0)) == bomb
    with pytest.raises(DeltaResolverError):
        DeltaLog(fake.open()).snapshot()
    assert peak_kilobytes() - before < 32 << 10


def test_a_commit_that_was_stored_encoded_is_named_so(fake: FakeStore) -> None:
    fake.files[commit_path(0)] = gzip.compress(COMMIT)
    fake.headers["Content-Encoding"] = "gzip"
    fake.encode = lambda data: data
    with pytest.raises(DeltaResolverError) as raised:
        DeltaLog(fake.open()).snapshot().files()
    assert raised.value.code in {"DR415", "DR405"}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test reaches."""
    for name in ("MAX_LOG_ENTRIES", "MAX_ENTRIES"):
        monkeypatch.setattr(object_listing, name, 5000)
    monkeypatch.setattr(bounded_answers, "PAGE_SECONDS", 1.0)


LOOKS: dict[str, Callable[[ObjectStore], object]] = {
    "snapshot": lambda store: DeltaLog(store).snapshot(),
    "history": lambda store: DeltaLog(store).history(),
    "below": lambda store: list(store.list_below("")),
    "listed": lambda store: list(store.list_from("_delta_log/")),
}


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("look", LOOKS)
def test_an_endless_listing_ends(fake: FakeStore, look: str) -> None:
    fake.pages = endless(lambda page: [(f"_delta_log/{page * 1000 + number:020d}.json", 1) for number in range(1000)])
    with pytest.raises(StorageAnswerError, match="more than 5,000 entries"):
        LOOKS[look](fake.open())


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("look", LOOKS)
def test_empty_pages_without_end_are_given_up(fake: FakeStore, look: str) -> None:
    def empty(_: int) -> list[tuple[str, int]]:
        time.sleep(0.05)
        return []

    fake.pages = endless(empty)
    with pytest.raises(StorageAnswerError, match="nothing came of it in 1 seconds"):
        LOOKS[look](fake.open())


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers that a test has memory for."""
    monkeypatch.setattr(bounded_answers, "PAGE_BYTES", 64 << 20)
    monkeypatch.setattr(bounded_answers, "WHOLE_BYTES", 64 << 20)


ALL_LOOKS: dict[str, Callable[[ObjectStore], object]] = {**LOOKS, "folders": lambda store: store.folders_in("")}


@pytest.mark.usefixtures("light")
@pytest.mark.parametrize("look", ALL_LOOKS)
def test_a_page_without_end_is_given_up_before_it_fills_the_memory(fake: FakeStore, look: str) -> None:
    fake.endless_body = b"<?xml version='1.0'?><ListBucketResult><EnumerationResults>"
    before = peak_kilobytes()
    with pytest.raises(StorageAnswerError, match=r"one answer takes more than [\d,]+ bytes of memory"):
        ALL_LOOKS[look](fake.open())
    assert peak_kilobytes() - before < 1 << 20


@pytest.mark.usefixtures("few")
def test_folders_without_end_are_given_up(fake: FakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client joins the pages by itself, so only their time and memory are bounded."""
    monkeypatch.setattr(bounded_answers, "WHOLE_SECONDS", 1.0)
    fake.pages = endless(lambda page: [(f"{page}-{number}", 1) for number in range(1000)])
    with pytest.raises(StorageAnswerError, match="nothing came of it in 1 seconds"):
        fake.open().folders_in("")


def test_a_listing_that_is_given_up_sends_no_more_requests(fake: FakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_answers, "WHOLE_SECONDS", 0.5)
    asked = itertools.count()
    fake.pages = endless(lambda page: [(f"{next(asked)}-{page}", 1)])
    with pytest.raises(StorageAnswerError):
        fake.open().folders_in("")
    then = next(asked)
    time.sleep(0.5)
    assert next(asked) <= then + 2


def test_a_key_that_no_store_has_is_refused(fake: FakeStore) -> None:
    fake.files["_delta_log/" + "k" * 5000] = b""
    with pytest.raises(StorageAnswerError, match=r"a key of 5,0\d\d characters"):
        DeltaLog(fake.open()).snapshot()


def test_more_bytes_than_were_asked_for_are_not_taken(fake: FakeStore) -> None:
    fake.flood = 100 << 30
    before = peak_kilobytes()
    with pytest.raises(StorageAnswerError, match="of 10 bytes that were asked for it sent more"):
        fake.open().read_range("x", 0, 10)
    with pytest.raises(StorageUnavailableError, match=r"longer than the 2,147,483,648 bytes that are read at once"):
        fake.open().read("x")
    assert peak_kilobytes() - before < 256 << 10
