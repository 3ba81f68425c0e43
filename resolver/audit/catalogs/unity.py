"""The tables of a Unity Catalog, open source or hosted, by its REST interface: names, locations and owners.

`unity:http://localhost:8080` is all of it, `unity:http://localhost:8080/main` one catalog and `.../main.sales` one
schema of it. The token, where one is needed, stands in the variable UNITY_TOKEN and goes to that server alone.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

from deltaresolver.audit.catalogs.named_table import ListedTable
from deltaresolver.errors import CatalogUnreadableError

PREFIX = "unity:"
TOKEN = "UNITY_TOKEN"  # noqa: S105 - the name of a variable
_PATH = "/api/2.1/unity-catalog"
_SECONDS = 30
_MAX_PAGES = 100_000
_MAX_BYTES = 64_000_000


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
                location = table.get("storage_location")
                if str(table.get("data_source_format", "")).upper() == "DELTA" and location:
                    yield ListedTable(str(location), f"{each}.{one}.{table['name']}", table.get("owner") or None)


def _parts(root: str) -> tuple[str, str]:
    """The server, and what of it is asked for."""
    address = urllib.parse.urlsplit(root[len(PREFIX) :])
    if address.scheme not in ("http", "https") or not address.hostname or address.username:
        raise _unreadable(root, "it is not of the form unity:https://SERVER/CATALOG.SCHEMA")
    return f"{address.scheme}://{address.netloc}", urllib.parse.unquote(address.path.strip("/"))


def _listed(server: str, kind: str, asked: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """What the server lists, page by page."""
    token = ""
    for _ in range(_MAX_PAGES):
        query = urllib.parse.urlencode({**asked, "max_results": "1000", **({"page_token": token} if token else {})})
        page = _fetched(f"{server}{_PATH}/{kind}?{query}")
        found = page.get(kind) or []
        if not isinstance(found, list) or not all(isinstance(one, dict) and one.get("name") for one in found):
            raise _unreadable(server, f"its answer about {kind} is not a list with names")
        yield from found
        following = page.get("next_page_token") or ""
        if not following or following == token:
            return
        token = str(following)


def _fetched(url: str) -> dict[str, Any]:
    secret = os.environ.get(TOKEN)
    headers = {"Accept": "application/json", **({"Authorization": f"Bearer {secret}"} if secret else {})}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - http and https alone, as checked
    try:
        with _opener.open(request, timeout=_SECONDS) as answer:
            found = json.loads(answer.read(_MAX_BYTES))
    except urllib.error.HTTPError as error:
        error.close()
        raise _unreadable(url, f"it answers {error.code} {error.reason}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(url, str(getattr(error, "reason", None) or error)) from error
    if not isinstance(found, dict):
        raise _unreadable(url, "its answer is not a JSON object")
    return found


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token must not follow to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def _unreadable(url: str, reason: str) -> CatalogUnreadableError:
    return CatalogUnreadableError(
        f"The catalog {url.partition('?')[0]} cannot be read: {reason}.",
        fix=f"Check the address, such as unity:http://localhost:8080/main, and the token in {TOKEN}.",
        details={"catalog": url.partition("?")[0], "reason": reason},
    )
