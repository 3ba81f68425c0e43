"""Files of a change data feed as parts to read."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deltaresolver.log.columnar.file_rows import add_from_row
from deltaresolver.spark.reading.change_feed import CHANGE_TYPE, COMMIT_TIMESTAMP, COMMIT_VERSION, ChangedFile
from deltaresolver.spark.source.batch.file_tasks import FilePart

_OF_COMMIT = (COMMIT_VERSION, COMMIT_TIMESTAMP)


def parts_of_changes(files: Iterable[ChangedFile]) -> list[FilePart]:
    """The parts, each with what its rows are changes of; change files say themselves what kind each row is."""
    return [_part(file) for file in files]


def _part(file: ChangedFile) -> FilePart:
    add = add_from_row(file.row)
    values = dict(add.partition_values)
    constants = {name: values.pop(name, None) for name in _OF_COMMIT}
    kind = values.pop(CHANGE_TYPE, None)
    if kind is not None:
        constants[CHANGE_TYPE] = kind
    only = None if file.only is None else np.ascontiguousarray(file.only, np.int64).tobytes()
    # Where only some rows are wanted, they are given by position, whatever the file's vector says now.
    vector = add.deletion_vector if only is None else None
    return FilePart(add.path, add.size, 0, max(add.size, 1), values, vector, constants, only)
