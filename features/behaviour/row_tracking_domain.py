"""The metadata domain in which row tracking keeps the highest row id given out."""

from __future__ import annotations

import json
from collections.abc import Mapping

from deltaresolver.errors import RowTrackingError
from deltaresolver.model.actions import DomainMetadata

DOMAIN = "delta.rowTracking"
MISSING = -1
"""The high-water mark before the first id."""
LAST_ROW_ID = 2**63 - 1


def high_water_mark(domains: Mapping[str, DomainMetadata]) -> int:
    """The highest row id given out. Raises `RowTrackingError` for a domain that cannot be read."""
    domain = domains.get(DOMAIN)
    if domain is None:
        return MISSING
    try:
        mark = json.loads(domain.configuration)["rowIdHighWaterMark"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _no_mark(domain) from error
    if type(mark) is not int or not MISSING <= mark <= LAST_ROW_ID:
        raise _no_mark(domain)
    return mark


def ensure_ids_left(mark: int) -> None:
    """Raise `RowTrackingError` for a high-water mark beyond the last id."""
    if mark > LAST_ROW_ID:
        raise RowTrackingError(
            f"The commit's rows would get ids up to {mark}, and the last that fits in 64 bits is {LAST_ROW_ID}.",
            fix="Drop the feature rowTracking and add it again: its ids begin anew.",
            details={"mark": str(mark)},
        )


def _no_mark(domain: DomainMetadata) -> RowTrackingError:
    return RowTrackingError(
        f"Metadata domain {DOMAIN} holds {domain.configuration[:80]!r}, not a high-water mark.",
        fix="Find the writer that left it; ids given out since are not known.",
        details={"domain": DOMAIN, "configuration": domain.configuration[:200]},
    )


def high_water_mark_action(mark: int) -> DomainMetadata:
    """The action that records `mark`."""
    configuration = json.dumps({"rowIdHighWaterMark": mark, "domainName": DOMAIN}, separators=(",", ":"))
    return DomainMetadata(DOMAIN, configuration, removed=False)
