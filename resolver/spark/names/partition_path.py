"""Paths into a table: `t/p=1` means the rows of that partition, as delta-spark has it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

from deltaresolver.errors import LocationInvalidError
from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.log.listing import list_log
from deltaresolver.log.storage.locations import open_store
from deltaresolver.model.schema import quoted


class PartitionPath(NamedTuple):
    """A path as given: the table's, and the partition columns and values that follow in it."""

    table: str | os.PathLike[str]
    values: tuple[tuple[str, str], ...] = ()

    @property
    def condition(self) -> str | None:
        """Which rows are meant, in Spark SQL; None for all of them."""
        parts = [f"{quoted(name)} = {quoted_text(value)}" for name, value in self.values]
        return " AND ".join(parts) or None


def split_partitions(path: str | os.PathLike[str], storage_options: Mapping[str, str] | None) -> PartitionPath:
    """The table whose folder a path leads into by folders of partitions; a table at the path itself comes first."""
    root = os.fspath(path)
    if not isinstance(root, str) or "=" not in root.rstrip("/").rpartition("/")[2]:
        return PartitionPath(path)
    root, values = root.rstrip("/"), list[tuple[str, str]]()
    while not _is_table(root, storage_options):
        parent, _, last = root.rpartition("/")
        name, equals, value = last.partition("=")
        if not (name and equals and parent):
            return PartitionPath(path)
        values.insert(0, (unquote(name), unquote(value)))
        root = parent
    return PartitionPath(root, tuple(values)) if values else PartitionPath(path)


def _is_table(path: str, storage_options: Mapping[str, str] | None) -> bool:
    try:
        return not list_log(open_store(path, storage_options)).is_empty
    except LocationInvalidError:  # on disk it says so itself that it lies inside a table
        return False
