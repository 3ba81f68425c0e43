"""What CREATE TABLE and REPLACE TABLE do about a table that is there."""

from __future__ import annotations

import enum


class CreateMode(enum.Enum):
    """What becomes of a table that is there already, or is not."""

    CREATE = "CREATE TABLE"
    """It must not be there."""
    CREATE_IF_NOT_EXISTS = "CREATE TABLE IF NOT EXISTS"
    """It stays as it is."""
    REPLACE = "REPLACE TABLE"
    """It must be there, and loses all rows."""
    CREATE_OR_REPLACE = "CREATE OR REPLACE TABLE"
    """It loses all rows if it is there."""
