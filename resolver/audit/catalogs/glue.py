"""The Delta tables of a Glue Data Catalog: names, locations and owners.

`glue:` is the catalog of the account and region that AWS's own tools are set up for, `glue:eu-west-1` that of a region,
`glue:eu-west-1/sales` and `glue:/sales` one database. Requests are signed by botocore, with the credentials it finds as
every AWS tool does; AWS_ENDPOINT_URL_GLUE leads to another server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deltaresolver.audit.catalogs.named_table import ListedTable
from deltaresolver.errors import CatalogUnreadableError, PackageMissingError

PREFIX = "glue:"
_PLACEHOLDER = "-__PLACEHOLDER__"
_MANIFEST = "/_symlink_format_manifest"


def is_glue(root: str) -> bool:
    """Whether a root is a Glue Data Catalog."""
    return root.startswith(PREFIX)


def find_in_glue(root: str) -> Iterator[ListedTable]:
    """The Delta tables with a location. Raises `CatalogUnreadableError`, and `PackageMissingError` without botocore."""
    region, _, database = root.removeprefix(PREFIX).partition("/")
    try:
        from botocore import exceptions
        from botocore.session import Session
    except ModuleNotFoundError as error:
        raise PackageMissingError(
            "A Glue catalog needs botocore, which is not installed.",
            fix='Install the extra: pip install "deltaresolver[glue]".',
            details={"package": "botocore", "extra": "glue"},
        ) from error
    try:
        client = Session().create_client("glue", region_name=region or None)
        names = [database] if database else [one["Name"] for one in _listed(client, "get_databases", "DatabaseList")]
        for name in names:
            for table in _listed(client, "get_tables", "TableList", DatabaseName=name):
                location = location_of(table)
                if location is not None:
                    yield ListedTable(location, f"{name}.{table['Name']}", table.get("Owner") or None)
    # botocore raises ValueError for a region that does not exist.
    except (exceptions.BotoCoreError, exceptions.ClientError, ValueError) as error:
        raise CatalogUnreadableError(
            f"The catalog {root} cannot be read: {error}",
            fix="Check the region and database, such as glue:eu-west-1/sales, and the credentials: "
            "AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
            details={"catalog": root, "reason": str(error)},
        ) from error


def _listed(client: Any, operation: str, key: str, **asked: str) -> Iterator[dict[str, Any]]:
    """Every entry of a listing operation, page by page."""
    for page in client.get_paginator(operation).paginate(**asked):
        yield from page.get(key, ())


def location_of(table: Mapping[str, Any]) -> str | None:
    """The location of a Delta table; None for other tables, for views, and for links to other catalogs.

    Spark, Glue's own jobs and crawlers each mark a Delta table in another way. Spark may keep the true location among
    the serialization parameters. A table for readers of manifests has the folder of the manifests as its location:
    the Delta table is the folder above.
    """
    storage = table.get("StorageDescriptor") or {}
    inner = (storage.get("SerdeInfo") or {}).get("Parameters") or {}
    location = str(storage.get("Location") or "").rstrip("/")
    if location.endswith(_MANIFEST):
        return location.removesuffix(_MANIFEST)
    facts = table.get("Parameters") or {}
    told = (facts.get("table_type"), facts.get("spark.sql.sources.provider"), facts.get("classification"))
    if "delta" not in {str(one).lower() for one in told}:
        return None
    if not location or location.endswith(_PLACEHOLDER):
        location = str(inner.get("path") or "")
    return location or None
