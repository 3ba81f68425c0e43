"""By what a row finds its file: the file's path, or its size where that is as good.

Every row is looked up, and a number is looked up many times faster than a path.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa

from deltaresolver.spark.reading.file_location import FileLocation

if TYPE_CHECKING:
    from pyspark.sql import Column


@attrs.frozen(slots=True)
class MetadataKeys:
    """The key of each file, and the field of Spark's `_metadata` that holds it for a row."""

    values: Sequence[str] | Sequence[int]
    field: str

    @property
    def type(self) -> pa.DataType:
        """Of the keys in Arrow."""
        return pa.string() if self.field == "file_path" else pa.int64()

    def column(self, metadata: Column) -> Column:
        """The key of a row's file."""
        return metadata.getField(self.field)


def file_keys(locations: Sequence[FileLocation]) -> MetadataKeys:
    """Sizes where all files are local and no two are of one size, else paths."""
    sizes = _sizes(locations)
    if sizes is not None and len(set(sizes)) == len(sizes):
        return MetadataKeys(sizes, "file_size")
    return MetadataKeys([location.key for location in locations], "file_path")


def _sizes(locations: Sequence[FileLocation]) -> list[int] | None:
    """The sizes as they are now, whatever the log says; None where one cannot be found out from here."""
    if not all(location.path.startswith("file:/") for location in locations):
        return None
    try:
        return [os.stat("/" + location.path[5:].lstrip("/")).st_size for location in locations]  # noqa: PTH116 - many
    except OSError:
        return None
