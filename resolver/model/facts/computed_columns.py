"""Columns that a writer fills in: generated from others, or counted."""

from __future__ import annotations

from typing import Any

from deltaresolver.model.facts.keys import (
    GENERATION_EXPRESSION,
    IDENTITY_ALLOWS_EXPLICIT,
    IDENTITY_START,
    IDENTITY_STEP,
)
from deltaresolver.model.schema import StructField

IDENTITY_KEYS = (IDENTITY_START, IDENTITY_STEP, IDENTITY_ALLOWS_EXPLICIT)
"""What the metadata of every identity column holds; some of them without the others are an error."""


def is_generated(field: StructField) -> bool:
    """Whether the column is computed from others when a row is written."""
    return GENERATION_EXPRESSION in (field.metadata or {})


def is_identity(field: StructField) -> bool:
    """Whether the column counts the rows."""
    return IDENTITY_START in (field.metadata or {})


def generated_as(expression: str) -> dict[str, Any]:
    """The metadata of a generated column's field."""
    return {GENERATION_EXPRESSION: expression}


def counting_from(start: int, step: int, *, allows_explicit: bool) -> dict[str, Any]:
    """The metadata of an identity column's field."""
    return {IDENTITY_START: start, IDENTITY_STEP: step, IDENTITY_ALLOWS_EXPLICIT: allows_explicit}
