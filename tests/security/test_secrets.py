"""Keys, tokens and passwords do not end in errors, in documents or on screens."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.errors import DeltaResolverError, LocationInvalidError
from deltaresolver.errors.secrets import redacted
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.storage_options import check_storage_options
from tests.security.budget import run

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
LOCATIONS = (
    f"s3://AKIAIOSFODNN7EXAMPLE:{SECRET}@bucket/table",
    f"s3://user:{SECRET}@bucket/table",
    f"https://account.blob.core.windows.net/c/t?sv=2022&sig={SECRET}&se=1",
    f"s3://bucket/table?X-Amz-Signature={SECRET}",
    f"s3://bucket/table?X-Amz-Security-Token={SECRET}&x=1",
    f"abfss://c@account.dfs.core.windows.net/t?access_token={SECRET}",
    f"gs://bucket/t?X-Goog-Signature={SECRET}",
    f"file://user:{SECRET}@host/t",
    f"ftp://user:{SECRET}@host/t",
)
KEPT = (
    "abfss://container@account.dfs.core.windows.net/t",
    "http://localhost:9000/x@y",
    "s3://bucket/day=2024-01-01/key=5/f.parquet",
    "/lake/a:b@c/t",
    "delta.key = 5",
)


@pytest.mark.parametrize("location", LOCATIONS)
def test_a_secret_in_a_location_is_hidden(location: str) -> None:
    assert SECRET not in redacted(location)
    with pytest.raises(DeltaResolverError) as raised:
        open_store(location)
    told = f"{raised.value} {raised.value.fix} {raised.value.details} {raised.value.args} {raised.value.to_json()}"
    assert SECRET not in told
    assert "AKIAIOSFODNN7EXAMPLE" not in told


@pytest.mark.parametrize("text", KEPT)
def test_text_that_is_not_a_secret_is_kept(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize("location", LOCATIONS)
@pytest.mark.parametrize("command", ["history", "explain"])
def test_no_command_shows_a_secret(location: str, command: str) -> None:
    ended = run(command, location)
    assert ended.code != 0
    assert SECRET not in ended.out + ended.err


def test_no_document_of_an_audit_shows_a_secret(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("".join(f"{each}\n" for each in LOCATIONS))
    document, report = tmp_path / "audit.json", tmp_path / "report.html"
    options: list[str | Path] = [
        "--list",
        tmp_path / "list.txt",
        "--json",
        document,
        "--html",
        report,
        "--workers",
        "1",
    ]
    ended = run("audit", LOCATIONS[0], LOCATIONS[2], *options)
    made = [each.read_text() for each in tmp_path.rglob("*") if each.is_file() and each.name != "list.txt"]
    assert made, ended.err
    assert SECRET not in ended.out + ended.err + "".join(made)


@pytest.mark.parametrize("service", ["aws", "google", "azure"])
@pytest.mark.parametrize("name", ["max_retries", "retry_timeout"])
def test_a_value_in_the_wrong_option_is_not_shown(service: str, name: str) -> None:
    with pytest.raises(DeltaResolverError) as raised:
        check_storage_options(service, {name: SECRET})
    assert SECRET not in f"{raised.value} {raised.value.fix} {raised.value.details}"


@pytest.mark.parametrize(
    ("location", "options"),
    [
        ("s3://bucket/t", names)
        for names in (
            {"timeout": SECRET},
            {"connect_timeout": SECRET},
            {"proxy_url": SECRET},
            {"allow_http": SECRET},
            {"pool_idle_timeout": SECRET},
            {"AWS_CHECKSUM_ALGORITHM": SECRET},
            {"AWS_CONDITIONAL_PUT": SECRET},
            {"AWS_SKIP_SIGNATURE": SECRET},
            {"AWS_VIRTUAL_HOSTED_STYLE_REQUEST": SECRET},
        )
    ]
    + [
        ("gs://bucket/t", {"google_service_account_key": SECRET}),
        ("gs://bucket/t", {"google_service_account": SECRET}),
        ("abfss://c@account.dfs.core.windows.net/t", {"azure_storage_account_key": SECRET + "!"}),
        ("abfss://c@account.dfs.core.windows.net/t", {"azure_use_fabric_endpoint": SECRET}),
        ("az://c/t", {"azure_storage_sas_key": SECRET}),
    ],
    ids=str,
)
def test_no_client_shows_the_value_of_an_option(location: str, options: dict[str, str]) -> None:
    pytest.importorskip("obstore.store", reason="obstore is missing: run script/bootstrap")
    told = ""
    try:
        open_store(location, options)
    except DeltaResolverError as error:
        told = f"{error} {error.fix} {error.details}"
    assert SECRET not in told


def test_an_error_hides_secrets_wherever_they_stand() -> None:
    place = LOCATIONS[1]
    error = LocationInvalidError(place, fix=place, details={"a": [place, {"b": place}]})
    assert SECRET not in f"{error} {error.fix} {error.details} {error.args!r}"
