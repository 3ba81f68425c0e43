"""What a catalog knows of a table."""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping

import attrs

from deltaresolver.spark.names.identifiers import SESSION_CATALOG, TableName, quoted_name

PROVIDERS = ("delta", "deltaresolver")


@attrs.frozen(slots=True)
class CatalogEntry:
    """One table of a catalog: its full name, provider, location, and whether dropping it deletes its files.

    Of a view only classic Spark tells the text.
    """

    database: str
    table: str
    provider: str | None
    location: str | None
    is_managed: bool = False
    is_view: bool = False
    properties: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    comment: str | None = None
    view_text: str | None = None

    @property
    def name(self) -> TableName:
        """Catalog, database and table."""
        return (SESSION_CATALOG, self.database, self.table)

    @property
    def quoted(self) -> str:
        """Database and table, quoted."""
        return quoted_name((self.database, self.table))

    @property
    def is_delta(self) -> bool:
        """Whether the catalog calls it a Delta table, by either provider."""
        return not self.is_view and (self.provider or "").lower() in PROVIDERS and self.location is not None

    @property
    def path(self) -> str:
        """The location as this library takes it."""
        location = self.location or ""
        return local_path(location)


def local_path(location: str) -> str:
    """A `file:` URI as the path that it means; any other location as it is."""
    if not location.lower().startswith("file:"):
        return location
    return "/" + urllib.parse.unquote(location[5:]).lstrip("/")
