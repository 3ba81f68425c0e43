"""Where delta-spark answers a question about protocols with a refusal that is not about them, or loses a name."""

from __future__ import annotations

from collections.abc import Mapping

_NOT_READ = (
    "Spark cannot read the schema, so delta-spark never gets to the question. This library keeps column types it does "
    "not know and answers from the rest."
)

KNOWN_DIFFERENCES: Mapping[str, str] = {
    "DELTA_GEOSPATIAL_NOT_SUPPORTED": (
        "delta-spark refuses every schema with geometry or geography unless a preview flag of its session is on; the "
        "protocol such a table needs does not depend on the flag."
    ),
    "INVALID_JSON_DATA_TYPE": _NOT_READ,
    "INVALID_JSON_DATA_TYPE_FOR_COLLATIONS": _NOT_READ,
    "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION": _NOT_READ,
}
"""Reason by the condition of the recorded error."""

NAMES_STAY = (
    "delta-spark leaves features that it does not know out of a protocol that it normalises or merges. Here a name "
    "in a protocol is never lost: a table would be open to clients that cannot read it."
)
"""Of a protocol that lists features nobody knows."""
