"""What a user may write for a table's location, and which error each wrong one gets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import LocationInvalidError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.locations import KNOWN_SCHEMES, open_store
from deltaresolver.log.storage.object_store import ObjectStore

ACCOUNT = {"AZURE_STORAGE_ACCOUNT_NAME": "account"}


def refusal(location: str | os.PathLike[str]) -> LocationInvalidError:
    with pytest.raises(LocationInvalidError) as raised:
        open_store(location, ACCOUNT)
    error = raised.value
    assert repr(os.fspath(location)) in error.message
    assert error.details["location"] == os.fspath(location)
    assert error.fix
    return error


class TestLocal:
    @pytest.mark.parametrize(
        ("location", "root"),
        [
            ("/lake/events", "/lake/events"),
            ("/lake/events/", "/lake/events"),
            ("/lake//events/.", "/lake/events"),
            ("/lake/my events", "/lake/my events"),
            (" /lake", f"{Path.cwd()}/ /lake"),
            ("/lake/a%20b?c#d", "/lake/a%20b?c#d"),
            ("/lake/day=1", "/lake/day=1"),
            ("/lake/日本", "/lake/日本"),
            ("/", "/"),
            (Path("/lake/events"), "/lake/events"),
            ("file:/lake/events", "/lake/events"),
            ("file:///lake/events/", "/lake/events"),
            ("FILE:///lake/events", "/lake/events"),
            ("file://localhost/lake/events", "/lake/events"),
            ("file:///lake/my%20events%3F%23%25", "/lake/my events?#%"),
            ("file:///lake/my events", "/lake/my events"),
            ("file:///lake/%E6%97%A5%E6%9C%AC", "/lake/日本"),
            ("file:///lake/%FF", os.fsdecode(b"/lake/\xff")),
        ],
    )
    def test_takes_paths_literally_and_uris_decoded(self, location: str, root: str) -> None:
        store = open_store(location)
        assert isinstance(store, LocalStore)
        assert store.location == root

    def test_a_relative_path_is_fixed_when_opened(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        store = open_store("lake/../events")
        monkeypatch.chdir("/")
        assert store.location == str(tmp_path / "events")

    def test_the_tilde_is_home_in_plain_paths_only(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        assert open_store("~/events").location == str(tmp_path / "events")
        assert open_store("file:///lake/~").location == "/lake/~"
        monkeypatch.chdir(tmp_path)
        assert open_store(Path("~/events")).location == str(tmp_path / "~" / "events")

    def test_a_colon_makes_no_scheme(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert open_store("events:today").location == str(tmp_path / "events:today")
        assert open_store("./s3:events").location == str(tmp_path / "s3:events")

    def test_storage_options_are_for_other_tables(self) -> None:
        assert open_store("/lake", {"AWS_REGION": "eu-west-1", "whatever": "x"}).location == "/lake"

    @pytest.mark.parametrize(
        ("location", "told"),
        [
            ("", "empty"),
            ("  ", "empty"),
            ("/lake\0", "NUL"),
            ("file:///lake%00", "NUL"),
            ("file:lake", "absolute"),
            ("file:", "absolute"),
            ("file://lake/events", "host 'lake'"),
            ("file:///lake?x=1", "query"),
            ("file:///lake#x", "fragment"),
            ("file:///100%", "does not begin an escape"),
            ("file:///100%2", "does not begin an escape"),
        ],
    )
    def test_refuses_what_is_not_a_path(self, location: str, told: str) -> None:
        assert told in refusal(location).message


class TestInsideATable:
    @pytest.fixture
    def table(self, tmp_path: Path) -> Path:
        table = tmp_path / "events"
        (table / "_delta_log").mkdir(parents=True)
        (table / "day=1").mkdir()
        (table / "day=1" / "part-0.parquet").write_bytes(b"x")
        (table / "_delta_log" / "00000000000000000000.json").write_bytes(b"x")
        return table

    @pytest.mark.parametrize(
        "inside",
        [
            "_delta_log",
            "_delta_log/",
            "_delta_log/00000000000000000000.json",
            "day=1",
            "day=1/",
            "day=2/hour=3",
            "day=1/part-0.parquet",
        ],
    )
    @pytest.mark.parametrize("form", ["{}", "file://{}"])
    def test_the_table_is_named(self, table: Path, inside: str, form: str) -> None:
        error = refusal(form.format(f"{table}/{inside}"))
        assert str(table) in error.fix
        assert str(error.details["table"]).endswith(str(table))

    def test_a_table_of_its_own_is_fine(self, table: Path) -> None:
        (table / "day=1" / "_delta_log").mkdir()
        assert open_store(table / "day=1").location == str(table / "day=1")
        assert open_store(table / "plain").location == str(table / "plain")

    def test_a_file_outside_any_table_is_refused_by_its_kind(self, tmp_path: Path) -> None:
        (tmp_path / "data.parquet").write_bytes(b"")
        error = refusal(tmp_path / "data.parquet")
        assert "is a Parquet file" in error.message
        assert "_delta_log" in error.fix

    def test_the_log_named_from_within(self) -> None:
        assert refusal("_delta_log").fix.endswith(" .")
        assert refusal("s3://lake/events/_delta_log/").fix.endswith(" s3://lake/events")


class TestObjectStores:
    @pytest.fixture(autouse=True)
    def _client(self) -> None:
        pytest.importorskip("obstore", reason="obstore is missing: run script/bootstrap")

    @pytest.mark.parametrize(
        ("location", "shown"),
        [
            ("s3://lake/events", "s3://lake/events"),
            ("S3://lake/events/", "s3://lake/events"),
            ("s3a://lake/events", "s3a://lake/events"),
            ("s3://lake", "s3://lake"),
            ("s3://lake/", "s3://lake"),
            ("s3://lake/my events/a%20b#c", "s3://lake/my events/a%20b#c"),
            ("gs://lake/events", "gs://lake/events"),
            ("gcs://lake/events", "gs://lake/events"),
            ("abfss://files@account.dfs.core.windows.net/events", "abfss://files@account.dfs.core.windows.net/events"),
            ("abfs://files@account.dfs.core.windows.net/", "abfs://files@account.dfs.core.windows.net"),
            ("abfss://work@onelake.dfs.fabric.microsoft.com/e", "abfss://work@onelake.dfs.fabric.microsoft.com/e"),
            ("az://files/events", "az://files/events"),
            ("azure://files/events", "az://files/events"),
            ("adl://files/events", "adl://files/events"),
        ],
    )
    def test_are_known_by_their_scheme(self, location: str, shown: str) -> None:
        store = open_store(location, ACCOUNT)
        assert isinstance(store, ObjectStore)
        assert store.location == shown

    @pytest.mark.parametrize(
        ("location", "told"),
        [
            ("s3://", "bucket"),
            ("s3:///events", "bucket"),
            ("s3:/lake/events", "two slashes"),
            ("s3:lake", "two slashes"),
            ("s3://lake/events?versionId=1", "query"),
            ("s3://lake//events", "empty"),
            ("s3://lake/a/../b", "'..'"),
            ("s3://key@lake/events", "bucket"),
            ("abfss://account.dfs.core.windows.net/events", "container"),
            ("abfss://files@storage.example.com/events", "container"),
        ],
    )
    def test_refuses_what_is_not_a_place_in_a_bucket(self, location: str, told: str) -> None:
        with pytest.raises(LocationInvalidError) as raised:
            open_store(location, ACCOUNT)
        assert told in raised.value.message
        assert raised.value.fix

    @pytest.mark.parametrize("location", ["ss3://lake", "hdfs://lake/x", "https://lake/x", "dbfs:/x", "wasb://a@b/c"])
    def test_an_unknown_scheme_is_refused_with_the_known_ones(self, location: str) -> None:
        error = refusal(location)
        assert all(f"{scheme}://" in error.fix for scheme in KNOWN_SCHEMES)
        assert error.details["known"] == list(KNOWN_SCHEMES)

    def test_a_near_miss_is_refused_with_what_was_meant(self) -> None:
        assert "did you mean s3?" in refusal("ss3://lake").message


@given(st.text())
def test_any_text_opens_or_is_refused_with_a_fix(text: str) -> None:
    try:
        open_store(text, ACCOUNT)
    except LocationInvalidError as error:
        assert error.fix  # noqa: PT017 - most text opens


@given(st.from_regex(r"(/[^/\x00-\x1f]{1,8}){1,4}", fullmatch=True))
def test_a_file_uri_of_any_path_opens_the_path(path: str) -> None:
    if "_delta_log" in path.split("/"):
        return
    assert open_store(Path(path).as_uri()).location == open_store(Path(path)).location
