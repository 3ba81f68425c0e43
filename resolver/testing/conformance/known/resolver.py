"""Known faults of delta-spark in questions about protocols: errors about something else, or a lost name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deltaresolver.model.facts.keys import CONSTRAINT_PREFIX, INVARIANTS
from deltaresolver.resolution.instructions import SESSION_PREFIX
from deltaresolver.testing.conformance.known.choices import UNTAKEN_TYPES

KNOWN_DIFFERENCES: Mapping[str, str] = {
    "DELTA_GEOSPATIAL_NOT_SUPPORTED": UNTAKEN_TYPES,
    "INVALID_JSON_DATA_TYPE": UNTAKEN_TYPES,
    "INVALID_JSON_DATA_TYPE_FOR_COLLATIONS": UNTAKEN_TYPES,
    "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION": UNTAKEN_TYPES,
}
"""Reason by the condition of the recorded error."""

_DEFAULT_OF_THE_SESSION = (
    "A default of the session for a property that says nothing about the protocol is checked where a table is created, "
    "and refused there; delta-spark refuses already to resolve."
)
_CONSTRAINT = (
    "delta-spark parses each CHECK constraint and invariant before it names the features that a table needs. The "
    "answer depends on there being one; its text is read when it is defined, and when rows are written."
)


def reason_to_fail(error: Mapping[str, Any], case: Mapping[str, Any]) -> str | None:
    """Why delta-spark fails at a question that this library answers; None where that is not a known difference."""
    condition = str(error.get("condition"))
    if error.get("class") == "ParseException" and _has_condition(case.get("metadata") or {}):
        return _CONSTRAINT
    of_property = str(error.get("message", "")).startswith("requirement failed: delta.")
    if of_property or condition == "DELTA_CANNOT_MODIFY_TABLE_PROPERTY":
        return (
            _DEFAULT_OF_THE_SESSION
            if any(key.startswith(SESSION_PREFIX) for key in case.get("session") or ())
            else None
        )
    return KNOWN_DIFFERENCES.get(condition)


def _has_condition(metadata: Mapping[str, Any]) -> bool:
    of_rows = any(key.startswith(CONSTRAINT_PREFIX) for key in metadata.get("configuration") or {})
    return of_rows or INVARIANTS in str(metadata.get("schemaString"))


NAMES_STAY = (
    "delta-spark leaves features that it does not know out of a protocol that it normalises or merges. Here a name "
    "in a protocol is never lost: a table would be open to clients that cannot read it."
)
"""The reason for protocols with unknown features."""

REASONS = frozenset({*KNOWN_DIFFERENCES.values(), _DEFAULT_OF_THE_SESSION, _CONSTRAINT, NAMES_STAY})
"""Every reason there is."""
