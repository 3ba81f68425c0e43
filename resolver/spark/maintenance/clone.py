"""SHALLOW CLONE from Spark: what `DeltaTable.clone` is asked for, checked as delta.tables checks it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import ArgumentInvalidError, MaintenanceUnsupportedError
from deltaresolver.spark.changes.arguments import ensure_flag, ensure_text
from deltaresolver.spark.names.identifiers import parse_name, path_of
from deltaresolver.spark.settings.session_values import SessionValues

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.table import Table
    from deltaresolver.transaction.clone_table import CloneOutcome

_IS_PATH = re.compile(r"/|[A-Za-z][A-Za-z0-9+.\-]*:/")


@attrs.frozen(slots=True)
class Clone:
    """A clone as it is asked for: of the latest version, unless `version` or `timestamp` names another."""

    target: str
    is_shallow: bool = False
    replace: bool = False
    properties: Mapping[str, str] | None = None
    version: int | None = None
    timestamp: int | str | date | None = None

    def ensured_path(self) -> str:
        """Where the clone is to be. Raises `ArgumentInvalidError`, `MaintenanceUnsupportedError`."""
        ensure_text(self.target, "target")
        ensure_flag(self.is_shallow, "isShallow")
        ensure_flag(self.replace, "replace")
        if self.properties is not None and not isinstance(self.properties, Mapping):
            raise ArgumentInvalidError(
                f"properties needs to be a dict but got '{type(self.properties)}'.",
                fix="Give properties as a dict of texts.",
                details={"argument": "properties", "type": type(self.properties).__name__},
            )
        for key, value in (self.properties or {}).items():
            ensure_text(key, f"All property keys including {key}")
            ensure_text(value, f"All property values including {value}")
        if not self.is_shallow:
            raise MaintenanceUnsupportedError(
                "Deep clone is not supported by this Delta version.",
                fix="Give isShallow=True, or copy the rows with ds.write(ds.read(spark, path), target).",
                details={"target": self.target},
                delta_class="DeltaIllegalArgumentException",
                delta_condition="DELTA_UNSUPPORTED_DEEP_CLONE",
            )
        path = (path_of(parse_name(self.target) or ()) if "`" in self.target else None) or self.target
        if _IS_PATH.match(path) is None:
            raise MaintenanceUnsupportedError(
                f"The clone cannot be called {self.target!r}: a target is an absolute path, or delta.`path`.",
                fix="Give the absolute path of a folder that is not there yet.",
                details={"target": self.target},
            )
        return path


def clone(spark: SparkSession, table: Table, wanted: Clone) -> CloneOutcome:
    """Carry it out. Raises as `Clone.ensured_path` and `Table.clone`."""
    from deltaresolver.transaction.clone_table import clone_table

    source = table.snapshot(wanted.version, wanted.timestamp)
    there = type(table)(wanted.ensured_path(), table.storage_options, session=SessionValues(spark))
    return clone_table(source, there.starter, replace=wanted.replace, properties=wanted.properties or {})
