"""Whose rules decide a protocol."""

from __future__ import annotations

import enum


class Policy(enum.Enum):
    """Whose rules decide."""

    EXACT = "exact"
    """The smallest set of features first, then the lowest form of exactly this set: delta-spark today."""
    LEGACY = "legacy"
    """Numbered protocols only, by ordered checks: Delta before table features had names."""
