"""Tables of a Glue catalog are found with names and owners, from a server that speaks its interface."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.session import Session

from deltaresolver.audit.catalogs.glue import find_in_glue, location_of
from deltaresolver.audit.catalogs.named_table import ListedTable
from deltaresolver.errors import CatalogUnreadableError, PackageMissingError
from tests.peers.s3_server import run_s3_server
from tests.unit.cli.running import first_commit, run, write_table

PAGES = 130
"""More than the server has on a page."""


def described(location: str, **more: Any) -> dict[str, Any]:
    return {"Parameters": {"table_type": "DELTA"}, "StorageDescriptor": {"Location": location}, **more}


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (described("s3://lake/a/"), "s3://lake/a"),
        ({**described("s3://lake/a"), "Parameters": {"spark.sql.sources.provider": "delta"}}, "s3://lake/a"),
        ({**described("s3://lake/a"), "Parameters": {"classification": "delta"}}, "s3://lake/a"),
        ({**described("s3://lake/a"), "Parameters": {"table_type": "ICEBERG"}}, None),
        (described("s3://lake/a/_symlink_format_manifest/"), "s3://lake/a"),
        (
            {
                "Parameters": {"spark.sql.sources.provider": "delta"},
                "StorageDescriptor": {
                    "Location": "s3://lake/default/a-__PLACEHOLDER__",
                    "SerdeInfo": {"Parameters": {"path": "s3://lake/true"}},
                },
            },
            "s3://lake/true",
        ),
        ({"TargetTable": {"CatalogId": "1", "DatabaseName": "d", "Name": "t"}}, None),
        ({"Parameters": {"table_type": "delta"}}, None),
        ({"TableType": "VIRTUAL_VIEW", "StorageDescriptor": {"Location": ""}}, None),
    ],
)
def test_where_a_table_lies(table: dict[str, Any], expected: str | None) -> None:
    assert location_of(table) == expected


def test_without_botocore_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "botocore", None)
    with pytest.raises(PackageMissingError, match="botocore") as missing:
        list(find_in_glue("glue:"))
    assert "deltaresolver[glue]" in missing.value.fix


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with run_s3_server() as running:
        yield running.endpoint


@pytest.fixture
def glue(server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A client of the empty catalog, and the environment with which every AWS tool reaches it."""
    for name, value in environment(server, tmp_path).items():
        monkeypatch.setenv(name, value)
    client = Session().create_client("glue", region_name="eu-west-1")
    for database in client.get_databases()["DatabaseList"]:
        client.delete_database(Name=database["Name"])
    return client


def environment(server: str, folder: Path) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL_GLUE": server,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "hush",
        "AWS_CONFIG_FILE": str(folder / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(folder / "none"),
        "AWS_MAX_ATTEMPTS": "1",
    }


def add(client: Any, database: str, name: str, table: dict[str, Any]) -> None:
    if database not in {one["Name"] for one in client.get_databases()["DatabaseList"]}:
        client.create_database(DatabaseInput={"Name": database})
    client.create_table(DatabaseName=database, TableInput={"Name": name, **table})


@pytest.mark.s3
def test_every_delta_table_is_found_page_by_page(glue: Any) -> None:
    for number in range(PAGES):
        add(glue, "sales", f"t{number}", described(f"s3://b/t{number}"))
    add(glue, "raw", "csv", {"StorageDescriptor": {"Location": "s3://b/csv"}})
    add(glue, "raw", "log", described("s3://b/log", Owner="Ada"))
    found = list(find_in_glue("glue:eu-west-1"))
    assert {one.name for one in found} == {*(f"sales.t{number}" for number in range(PAGES)), "raw.log"}
    assert ListedTable("s3://b/log", "raw.log", "Ada") in found
    assert [one.name for one in find_in_glue("glue:eu-west-1/raw")] == ["raw.log"]
    assert list(find_in_glue("glue:us-east-1")) == []


@pytest.mark.s3
def test_an_audit_has_names_and_owners(glue: Any, server: str, tmp_path: Path) -> None:
    table = write_table(tmp_path / "hidden", first_commit())
    add(glue, "shop", "orders", described(table.as_uri(), Owner="Sales"))
    add(glue, "shop", "gone", described(f"{tmp_path}/gone"))
    audited = run(
        "audit", "--catalog", "glue:eu-west-1/shop", "--json", "-", "--workers", "1", env=environment(server, tmp_path)
    )
    assert audited.code == 0, audited.err
    tables = {one["name"]: one for one in audited.data["tables"]}
    assert tables["shop.orders"]["location"] == str(table)
    assert tables["shop.orders"]["owner"] == "Sales"
    assert tables["shop.gone"]["error"]["code"] == "DR410"
    assert audited.data["head"]["roots"] == [
        {"location": "glue:eu-west-1/shop", "tables": 2, "error": None, "fix": None}
    ]


@pytest.mark.s3
def test_a_catalog_that_does_not_answer_is_reported(glue: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert glue.get_databases()["DatabaseList"] == []
    with pytest.raises(CatalogUnreadableError, match="EntityNotFoundException"):
        list(find_in_glue("glue:eu-west-1/nowhere"))
    for root in ("glue:", "glue:no where"):
        with pytest.raises(CatalogUnreadableError, match="region"):
            list(find_in_glue(root))
    monkeypatch.setenv("AWS_ENDPOINT_URL_GLUE", "http://127.0.0.1:9")
    with pytest.raises(CatalogUnreadableError, match="Could not connect") as refused:
        list(find_in_glue("glue:eu-west-1"))
    assert "hush" not in str(refused.value)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(CatalogUnreadableError, match="redentials"):
        list(find_in_glue("glue:eu-west-1"))
