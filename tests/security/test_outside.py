"""Credentials stay with the table's own bucket or account, and a page is not taken for an empty store."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltaresolver.errors import OutsideLocationError, StorageAnswerError, StorageOptionError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.locations import open_store
from deltaresolver.spark.reading.file_location import TableRoot
from deltaresolver.spark.reading.outside import (
    ensure_files_allowed,
    may_lead_outside,
    open_outside,
    read_outside,
)

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
def test_another_bucket_or_account_gets_no_request(table: str, folder: str) -> None:
    with pytest.raises(OutsideLocationError) as raised:
        read_outside(open_store(table, AZURE), AZURE)(f"{folder}/f.bin", 0, 1)
    assert raised.value.code == "DR425"


@pytest.mark.parametrize(("table", "folder"), AT_HOME)
def test_the_tables_own_bucket_or_account_is_asked(table: str, folder: str) -> None:
    assert open_outside(open_store(table, AZURE), folder, AZURE).location


@pytest.mark.parametrize("policy", ["true", "any", "ANY"])
@pytest.mark.parametrize(("table", "folder"), ELSEWHERE[:4])
def test_a_reader_may_allow_other_buckets_and_accounts(table: str, folder: str, policy: str) -> None:
    allowed = {**AZURE, "allow_outside": policy}
    assert open_outside(open_store(table, allowed), folder, allowed).location


@pytest.mark.parametrize(("table", "folder"), AT_HOME)
def test_a_reader_may_refuse_every_place_outside_the_table(table: str, folder: str) -> None:
    refusing = {**AZURE, "allow_outside": "refuse"}
    with pytest.raises(OutsideLocationError):
        open_outside(open_store(table, refusing), folder, refusing)


@pytest.mark.parametrize(
    ("table", "folder"),
    [("/tmp/t", "/tmp/t/p=1"), ("/tmp/t", "file:/tmp/t"), ("s3://lake/t", "s3a://lake/t/p=1"), (HOME, f"{HOME}/p=1")],
)
def test_an_absolute_path_into_the_table_is_not_outside(table: str, folder: str) -> None:
    refusing = {**AZURE, "allow_outside": "refuse"}
    assert open_outside(open_store(table, refusing), folder, refusing).location


@pytest.mark.parametrize("value", ["yes", "", "same store"])
def test_an_unknown_policy_is_refused(value: str) -> None:
    with pytest.raises(StorageOptionError, match="refuse, same-store, any"):
        open_outside(open_store("/tmp/t"), "/lake", {"allow_outside": value})


DATA = (
    ("/lake/t", "s3a://evil/x.parquet", "same-store", False),
    ("/lake/t", "s3%3A//evil/x.parquet", "same-store", False),
    ("/lake/t", "s3:/evil/x.parquet", "same-store", False),
    ("/lake/t", "hdfs:/x.parquet", "same-store", False),
    ("/lake/t", "HDFS%3a/x.parquet", "same-store", False),
    ("/lake/t", "x:/y.parquet", "same-store", False),
    ("/lake/t", "file:/etc/x.parquet", "same-store", True),
    ("/lake/t", "file%3A///etc/x.parquet", "same-store", True),
    ("/lake/t", "file:/etc/x.parquet", "refuse", False),
    ("/lake/t", "../x.parquet", "refuse", False),
    ("/lake/t", "%2e%2e/x.parquet", "refuse", False),
    ("/lake/t", "p=1/%2E%2E/%2e%2E/x.parquet", "refuse", False),
    ("/lake/t", "p=1/../x.parquet", "refuse", True),
    ("/lake/t", "p=a%3Ab/x.parquet", "refuse", True),
    ("/lake/t", "/lake/t2/x.parquet", "refuse", False),
    ("s3://lake/t", "s3://evil/x.parquet", "same-store", False),
    ("s3://lake/t", "s3%3A//evil/x.parquet", "same-store", False),
    ("s3://lake/t", "file:///etc/passwd", "same-store", False),
    ("s3://lake/t", "s3://lake/other/x.parquet", "same-store", True),
    ("s3://lake/t", "s3://lake/t2/x.parquet", "refuse", False),
    ("s3://lake/t", "s3a://lake/t/x.parquet", "refuse", True),
)


@pytest.mark.parametrize(("table", "path", "policy", "is_read"), DATA)
def test_data_files_outside_are_refused_or_allowed_by_the_same_rules(
    table: str, path: str, policy: str, is_read: bool
) -> None:
    options = {**AZURE, "allow_outside": policy}
    store = open_store(table, options)
    root = TableRoot.of(table, store)
    assert is_read or may_lead_outside(path)
    if is_read:
        ensure_files_allowed(store, root, [root.file(path)], options)
        return
    with pytest.raises(OutsideLocationError):
        ensure_files_allowed(store, root, [root.file(path)], options)


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
