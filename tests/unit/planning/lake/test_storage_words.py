"""Printed commands name the storage options that they need, and no secrets."""

from __future__ import annotations

import shlex

import pytest

from deltaresolver.planning.lake.storage_words import storage_words

OPTIONS = {
    "endpoint": "http://localhost:9000",
    "allow_http": "true",
    "aws_access_key_id": "AK",
    "aws_secret_access_key": "hush",
    "aws_session_token": "hush",
    "azure_storage_sas_key": "hush",
    "password": "hush",
    "region": "eu central;1",
}


def test_a_command_reaches_an_object_store_and_shows_no_secret() -> None:
    words = shlex.split(storage_words("s3://bucket/t", OPTIONS))
    assert words[::2] == ["--storage"] * 3
    assert words[1::2] == ["allow_http=true", "endpoint=http://localhost:9000", "region=eu central;1"]


@pytest.mark.parametrize("location", ["/lake/t", "relative", None])
def test_a_table_on_disk_needs_none(location: str | None) -> None:
    assert storage_words(location, OPTIONS) == ""
