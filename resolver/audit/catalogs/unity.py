"""The tables of a Unity Catalog, open source or hosted, by its REST interface: names, locations and owners.

`unity:http://localhost:8080` is all of it, `unity:http://localhost:8080/main` one catalog and `.../main.sales` one
schema of it. The token, where one is needed, is read from the variable UNITY_TOKEN and sent to that server alone.
"""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

from deltaresolver.audit.catalogs.named_table import ListedTable
from deltaresolver.errors import CatalogUnreadableError
from deltaresolver.log.storage.given_up import within

PREFIX = "unity:"
TOKEN = "UNITY_TOKEN"  # noqa: S105 - the name of a variable
_PATH = "/api/2.1/unity-catalog"
_SECONDS = 30
_MAX_PAGES = 100_000
_MAX_BYTES = 64_000_000
_MAX_LISTED = 1_000_000
"""The limit for catalogs, for schemas of one catalog, and for tables of one schema."""
_WHOLE_SECONDS = 120.0
"""The limit for one page, since a server might send it byte by byte."""


def is_unity(root: str) -> bool:
    """Whether a root is a Unity Catalog."""
    return root.startswith(PREFIX)


def find_in_unity(root: str) -> Iterator[ListedTable]:
    """The Delta tables with a location. Raises `CatalogUnreadableError`."""
    server, within = _parts(root)
    catalog, _, schema = within.partition(".")
    catalogs = [catalog] if catalog else [one["name"] for one in _listed(server, "catalogs", {})]
    for each in catalogs:
        schemas = [schema] if schema else [one["name"] for one in _listed(server, "schemas", {"catalog_name": each})]
        for one in schemas:
            for table in _listed(server, "tables", {"catalog_name": each, "schema_name": one}):
                location, owner = table.get("storage_location"), table.get("owner")
                is_delta = str(table.get("data_source_format", "")).upper() == "DELTA"
                if is_delta and isinstance(location, str) and location:
                    owner = owner if isinstance(owner, str) and owner else None
                    yield ListedTable(location, f"{each}.{one}.{table['name']}", owner)


def _parts(root: str) -> tuple[str, str]:
    """The server, and the catalog and schema that the root names."""
    address = urllib.parse.urlsplit(root[len(PREFIX) :])
    if address.scheme not in ("http", "https") or not address.hostname or address.username:
        raise _unreadable(root, "it is not of the form unity:https://SERVER/CATALOG.SCHEMA")
    return f"{address.scheme}://{address.netloc}", urllib.parse.unquote(address.path.strip("/"))


def _listed(server: str, kind: str, asked: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Every entry of a listing, page by page."""
    token, count = "", 0
    for _ in range(_MAX_PAGES):
        query = urllib.parse.urlencode({**asked, "max_results": "1000", **({"page_token": token} if token else {})})
        page = _fetched(f"{server}{_PATH}/{kind}?{query}")
        found = page.get(kind) or []
        if not isinstance(found, list) or not all(map(_has_name, found)):
            raise _unreadable(server, f"its answer about {kind} is not a list with names")
        count += len(found)
        if count > _MAX_LISTED:
            raise _unreadable(server, f"it lists more than {_MAX_LISTED:,} {kind} in one place")
        yield from found
        following = page.get("next_page_token") or ""
        if not following or following == token:
            return
        token = str(following)


def _has_name(one: object) -> bool:
    name = one.get("name") if isinstance(one, dict) else None
    return isinstance(name, str) and bool(name)


def _fetched(url: str) -> dict[str, Any]:
    secret = os.environ.get(TOKEN)
    headers = {"Accept": "application/json", **({"Authorization": f"Bearer {secret}"} if secret else {})}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - http and https alone, as checked
    try:
        found = json.loads(within(_WHOLE_SECONDS, lambda: _bytes_of(request), lambda: _too_slow(url)))
    except urllib.error.HTTPError as error:
        error.close()
        raise _unreadable(url, f"it answers {error.code} {error.reason}") from error
    except (OSError, ValueError, RecursionError, http.client.HTTPException) as error:
        raise _unreadable(url, str(getattr(error, "reason", None) or error).strip()) from error
    if not isinstance(found, dict):
        raise _unreadable(url, "its answer is not a JSON object")
    return found


def _bytes_of(request: urllib.request.Request) -> bytes:
    with _opener.open(request, timeout=_SECONDS) as answer:
        found: bytes = answer.read(_MAX_BYTES)
        return found


def _too_slow(url: str) -> CatalogUnreadableError:
    return _unreadable(url, f"a page of its answer takes more than {_WHOLE_SECONDS:.0f} seconds")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token must not be sent to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def _unreadable(url: str, reason: str) -> CatalogUnreadableError:
    return CatalogUnreadableError(
        f"The catalog {url.partition('?')[0]} cannot be read: {reason}.",
        fix=f"Check the address, such as unity:http://localhost:8080/main, and the token in {TOKEN}.",
        details={"catalog": url.partition("?")[0], "reason": reason},
    )
