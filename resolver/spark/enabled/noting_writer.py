"""What the writers of an enabled session have in common."""

from __future__ import annotations

import warnings
from typing import Any

from deltaresolver.errors import TableNameError
from deltaresolver.spark.enabled.noted import STORAGE, NotingCalls
from deltaresolver.spark.names.identifiers import TableName, parse_name
from deltaresolver.spark.names.named_table import NamedTable, find_table
from deltaresolver.spark.writing.write_options import is_write_option


class NotingWriter(NotingCalls):
    """What writers have in common."""

    def partitionBy(self, *cols: Any) -> Any:
        """As PySpark's."""
        self._noted.partition_by = _names(cols)
        return super().partitionBy(*cols)  # type: ignore[misc]

    def clusterBy(self, *cols: Any) -> Any:
        """As PySpark's."""
        self._noted.cluster_by = _names(cols)
        return super().clusterBy(*cols)  # type: ignore[misc]

    def _found(self, name: str) -> tuple[TableName, NamedTable | None]:
        parts = parse_name(name)
        if parts is None:
            raise TableNameError(
                f"{name!r} is not the name of a table.",
                fix="Write table or database.table, odd names in backticks.",
                details={"name": name},
                delta_class="ParseException",
            )
        return parts, find_table(self._noted.spark, parts)

    def _options(self) -> tuple[dict[str, str], dict[str, str] | None]:
        """Options of the write and of storage. Spark hands any option on; one without meaning is warned about."""
        given = self._noted.options
        storage = {key[len(STORAGE) :]: value for key, value in given.items() if key.startswith(STORAGE)}
        options = {}
        for key, value in given.items():
            if is_write_option(key):
                options[key] = value
            elif not key.startswith(STORAGE):
                warnings.warn(f"The option {key} has no meaning for Delta tables, and is left out.", stacklevel=4)
        return options, storage or None


def _names(columns: Any) -> tuple[str, ...]:
    listed = columns[0] if len(columns) == 1 and isinstance(columns[0], list | tuple) else columns
    return tuple(str(name) for name in listed)


def as_path(place: str) -> str:
    """A text that could be a name, as the folder that save() means by it."""
    return place if "/" in place or ":" in place else f"./{place}"
