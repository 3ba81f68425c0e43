"""The metadata domain in which row tracking keeps the highest row id given out."""

from __future__ import annotations

import json
from collections.abc import Mapping

from deltaresolver.errors import RowTrackingError
from deltaresolver.model.actions import DomainMetadata

DOMAIN = "delta.rowTracking"
MISSING = -1
"""The high-water mark before the first id."""


def high_water_mark(domains: Mapping[str, DomainMetadata]) -> int:
    """The highest row id given out. Raises `RowTrackingError` for a domain that cannot be read."""
    domain = domains.get(DOMAIN)
    if domain is None:
        return MISSING
    try:
        return int(json.loads(domain.configuration)["rowIdHighWaterMark"])
    except (ValueError, TypeError, KeyError) as error:
        raise RowTrackingError(
            f"Metadata domain {DOMAIN} holds {domain.configuration[:80]!r}, not a high-water mark.",
            fix="Find the writer that left it; ids given out since are not known.",
            details={"domain": DOMAIN, "configuration": domain.configuration[:200]},
        ) from error


def high_water_mark_action(mark: int) -> DomainMetadata:
    """The action that records `mark`."""
    configuration = json.dumps({"rowIdHighWaterMark": mark, "domainName": DOMAIN}, separators=(",", ":"))
    return DomainMetadata(DOMAIN, configuration, removed=False)
