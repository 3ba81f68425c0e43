"""Credentials stay with the table's own bucket or account, and what is no store is not taken for an empty one."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltaresolver.errors import OutsideLocationError, StorageAnswerError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.locations import open_store
from deltaresolver.spark.reading.outside import open_outside, read_outside

pytest.importorskip("obstore.store", reason="obstore is missing: run script/bootstrap")

AZURE = {"azure_storage_account_key": "a2V5", "aws_region": "eu-west-1", "aws_access_key_id": "a",
         "aws_secret_access_key": "b"}  # fmt: skip
HOME = "abfss://c@account.dfs.core.windows.net/t"
ELSEWHERE = (
    ("/tmp/t", "s3://evil-bucket/x"),
    ("/tmp/t", "abfss://c@attackeracct.dfs.core.windows.net/x"),
    ("s3://lake/t", "s3://evil-bucket/x"),
    ("s3://lake/t", "s3a://lake.evil/x"),
    ("s3://lake/t", "/etc"),
    ("s3://lake/t", "gs://lake/x"),
    ("s3://lake/t", "http://lake/x"),
    (HOME, "abfss://c@attackeracct.dfs.core.windows.net/x"),
    (HOME, "abfss://c@attackeracct.blob.core.windows.net/x"),
    (HOME, "abfss://account.dfs.core.windows.net@attackeracct.dfs.core.windows.net/x"),
    (HOME, "az://c/x"),
    (HOME, "s3://account.dfs.core.windows.net/x"),
)
AT_HOME = (
    ("/tmp/t", "/lake/other"),
    ("s3://lake/t", "s3://lake/other"),
    ("s3://lake/t", "s3a://lake/other"),
    (HOME, "abfss://c2@account.dfs.core.windows.net/x"),
    (HOME, "abfss://c@account.blob.core.windows.net/x"),
)


@pytest.mark.parametrize(("table", "folder"), ELSEWHERE)
def test_another_bucket_or_account_is_not_asked(table: str, folder: str) -> None:
    with pytest.raises(OutsideLocationError) as raised:
        read_outside(open_store(table, AZURE), AZURE)(f"{folder}/f.bin", 0, 1)
    assert raised.value.code == "DR425"


@pytest.mark.parametrize(("table", "folder"), AT_HOME)
def test_the_tables_own_is(table: str, folder: str) -> None:
    assert open_outside(open_store(table, AZURE), folder, AZURE).location


@pytest.mark.parametrize(("table", "folder"), ELSEWHERE[:4])
def test_whoever_reads_may_allow_others(table: str, folder: str) -> None:
    allowed = {**AZURE, "allow_outside": "true"}
    assert open_outside(open_store(table, allowed), folder, allowed).location


def test_a_local_file_elsewhere_is_read(tmp_path: Path) -> None:
    (tmp_path / "v.bin").write_bytes(b"abc")
    for path in (f"{tmp_path}/v.bin", f"file:{tmp_path}/v.bin", f"file://{tmp_path}/v.bin"):
        assert read_outside(LocalStore(tmp_path / "t"), None)(path, 1, 1) == b"b"


class SignIn(http.server.BaseHTTPRequestHandler):
    """Answers everything with a page."""

    def do_GET(self) -> None:
        page = b"<html><head><title>Sign in</title></head></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.send_header("ETag", '"x"')
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def sign_in() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SignIn)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_page_is_not_an_empty_store(sign_in: str) -> None:
    options = {"endpoint": sign_in, "allow_http": "true", "region": "x", "skip_signature": "true"}
    store = open_store("s3://lake/t", options)
    with pytest.raises(StorageAnswerError, match="Sign in") as raised:
        DeltaLog(store).snapshot()
    assert raised.value.code == "DR424"
    with pytest.raises(StorageAnswerError):
        list(open_store("s3://lake/t", options).list_from("_delta_log/"))
