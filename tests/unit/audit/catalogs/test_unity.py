"""Tables of a Unity Catalog are found by name with their owners, from a server that speaks its interface."""

from __future__ import annotations

import json
import threading
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from deltaresolver.audit.catalogs.named_table import ListedTable, read_list
from deltaresolver.audit.catalogs.unity import find_in_unity
from deltaresolver.errors import CatalogUnreadableError
from tests.unit.cli.running import first_commit, run, write_table

PAGE = 2


class Unity(BaseHTTPRequestHandler):
    """A catalog of tables by full name; `asked` are the requests that came."""

    tables: ClassVar[dict[str, dict[str, Any]]] = {}
    asked: ClassVar[list[tuple[str, str | None]]] = []
    answer: ClassVar[tuple[int, bytes, dict[str, str]] | None] = None

    def do_GET(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        query = {key: values[0] for key, values in urllib.parse.parse_qs(url.query).items()}
        self.asked.append((self.path, self.headers.get("Authorization")))
        status, body, headers = self.answer or (200, json.dumps(self.page(url.path, query)).encode(), {})
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def page(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        kind = path.rpartition("/")[2]
        assert path == f"/api/2.1/unity-catalog/{kind}"
        parts = [name.split(".") for name in self.tables]
        catalog, schema = query.get("catalog_name"), query.get("schema_name")
        found: list[dict[str, Any]]
        if kind == "catalogs":
            found = [{"name": name} for name in dict.fromkeys(part[0] for part in parts)]
        elif kind == "schemas":
            found = [{"name": name} for name in dict.fromkeys(part[1] for part in parts if part[0] == catalog)]
        else:
            mine = ".".join((catalog or "", schema or ""))
            found = [
                {"name": name.split(".")[2], **one} for name, one in self.tables.items() if name.startswith(f"{mine}.")
            ]
        start = int(query.get("page_token", "0"))
        more = {"next_page_token": str(start + PAGE)} if start + PAGE < len(found) else {"next_page_token": ""}
        return {kind: found[start : start + PAGE], **more}

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    Unity.tables, Unity.answer = {}, None
    Unity.asked.clear()
    running = ThreadingHTTPServer(("127.0.0.1", 0), Unity)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()
    thread.join()


def delta(location: str, owner: str | None = None) -> dict[str, Any]:
    return {"data_source_format": "DELTA", "storage_location": location, "owner": owner}


def test_every_delta_table_is_found_page_by_page(server: str) -> None:
    Unity.tables = {f"main.sales.t{number}": delta(f"s3://b/t{number}") for number in range(5)}
    Unity.tables |= {"main.raw.csv": {"data_source_format": "CSV", "storage_location": "s3://b/csv"}}
    Unity.tables |= {"other.x.y": delta("s3://b/y", "Ada"), "main.raw.view": {"name": "view"}}
    found = list(find_in_unity(f"unity:{server}"))
    assert {one.name for one in found} == {*(f"main.sales.t{number}" for number in range(5)), "other.x.y"}
    assert ListedTable("s3://b/y", "other.x.y", "Ada") in found
    assert [one.name for one in find_in_unity(f"unity:{server}/other")] == ["other.x.y"]
    assert len(list(find_in_unity(f"unity:{server}/main.sales"))) == 5


def test_an_audit_has_names_and_owners(server: str, tmp_path: Path) -> None:
    create = first_commit()
    create[1]["metaData"]["name"] = "what delta-rs was told"  # the catalog's name is the one that people ask for
    table = write_table(tmp_path / "hidden", create)
    Unity.tables = {"main.sales.orders": delta(table.as_uri(), "Sales"), "main.sales.gone": delta(f"{tmp_path}/gone")}
    audited = run("audit", f"unity:{server}/main", "--json", "-", "--workers", "1")
    assert audited.code == 0, audited.err
    tables = {one["name"]: one for one in audited.data["tables"]}
    assert tables["main.sales.orders"]["location"] == str(table)
    assert tables["main.sales.orders"]["owner"] == "Sales"
    assert tables["main.sales.gone"]["error"]["code"] == "DR410"


def test_the_token_is_sent_to_the_server_alone(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNITY_TOKEN", "hush")
    Unity.tables = {"main.s.t": delta("s3://b/t")}
    assert list(find_in_unity(f"unity:{server}"))
    assert {token for _, token in Unity.asked} == {"Bearer hush"}
    Unity.answer = (302, b"", {"Location": f"{server}/elsewhere"})
    Unity.asked.clear()
    with pytest.raises(CatalogUnreadableError, match="302") as refused:
        list(find_in_unity(f"unity:{server}"))
    assert len(Unity.asked) == 1
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    "answer",
    [(403, b"no", {}), (200, b"<html>", {}), (200, b"[]", {}), (200, b'{"catalogs": [{}]}', {}), (500, b"", {})],
)
def test_a_server_that_answers_otherwise_is_reported(server: str, answer: tuple[int, bytes, dict[str, str]]) -> None:
    Unity.answer = answer
    with pytest.raises(CatalogUnreadableError, match="cannot be read"):
        list(find_in_unity(f"unity:{server}"))
    audited = run("audit", f"unity:{server}")
    assert (audited.code, "DR805" in audited.err) == (2, True)


@pytest.mark.parametrize("root", ["unity:", "unity:main", "unity:file:///etc", "unity:ftp://x", "unity:http://u:p@x"])
def test_an_address_of_another_kind_is_refused(root: str) -> None:
    with pytest.raises(CatalogUnreadableError, match="it is not of the form"):
        list(find_in_unity(root))


def test_a_list_may_have_names_and_owners(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t", first_commit())
    (tmp_path / "list").write_text(f"# mine\n{table}\tmain.t\tAda Lovelace\n\n{tmp_path}/none\n", encoding="utf-8")
    assert list(read_list(str(tmp_path / "list")))[1] == ListedTable(f"{tmp_path}/none")
    audited = run("audit", "--list", str(tmp_path / "list"), "--json", "-", "--workers", "1")
    found = {one["location"]: one for one in audited.data["tables"]}
    assert (found[str(table)]["name"], found[str(table)]["owner"]) == ("main.t", "Ada Lovelace")
