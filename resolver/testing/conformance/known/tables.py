"""Where the recorded implementation differs from the Delta protocol and this library does not, with the reasons."""

from __future__ import annotations

from collections.abc import Mapping

_REMOVED_TWICE = (
    "A file removed in two commits without being added in between has one tombstone: action reconciliation keeps "
    "one action per logical file. delta-spark counts both removes."
)

KNOWN_DIFFERENCES: Mapping[tuple[str, str], str] = {
    ("kernel-rs__table-with-cdf", "num_removes: found 1, recorded 2"): _REMOVED_TWICE,
}
"""Reason by table and by the exact difference, so that any other answer is still a failure."""
