"""Statements of DDL as values, beside the changes of tables that are values themselves."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from deltaresolver.transaction.alter.table_change import TableChange
from deltaresolver.transaction.create.create_table import NewTable


@attrs.frozen(slots=True)
class CreateStatement:
    """CREATE TABLE or REPLACE TABLE in any form."""

    table: str
    new: NewTable
    provider: str | None = None
    location: str | None = None


@attrs.frozen(slots=True)
class AlterProperties:
    """SET and UNSET TBLPROPERTIES, and COMMENT ON TABLE."""

    table: str
    to_set: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    to_unset: tuple[str, ...] = ()


@attrs.frozen(slots=True)
class DropFeatureStatement:
    """DROP FEATURE."""

    table: str
    feature: str
    truncate_history: bool = False


@attrs.frozen(slots=True)
class AlterTable:
    """Any other ALTER TABLE."""

    table: str
    change: TableChange


Statement = CreateStatement | AlterProperties | DropFeatureStatement | AlterTable
