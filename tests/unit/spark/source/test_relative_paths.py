"""Where `format("deltaresolver")` has no folder that a relative path could be relative to."""

from __future__ import annotations

import pytest

from deltaresolver.errors import ReadOptionInvalidError
from deltaresolver.spark.source.source_options import parse_source_options
from tests.nasty import FOLDER_NAMES

_SESSION = "SPARK_JOB_ARTIFACT_UUID"


@pytest.mark.parametrize("name", FOLDER_NAMES)
def test_a_server_of_connect_takes_whole_paths_only(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = (f"/lake/{name}", f"file:/lake/{name}", f"s3a://bucket/{name}")
    for session in ("default", "de071d36-bcb7-4554-abd0-91ad1174969d"):
        monkeypatch.setenv(_SESSION, session)
        assert [parse_source_options({"path": path}).path for path in whole] == list(whole)
    with pytest.raises(ReadOptionInvalidError, match="relative path"):
        parse_source_options({"path": f"lake/{name}"})
    monkeypatch.setenv(_SESSION, "default")
    assert parse_source_options({"path": f"lake/{name}"}).path == f"lake/{name}"
