"""The files of a small checkpoint, one by one, from the few columns that tell them apart."""

from __future__ import annotations

from functools import partial
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.log.checkpoint.read import unusable
from deltaresolver.log.columnar.empty_leaves import without_empty_leaves
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.columnar.file_rows import add_from_row, vector_from_row
from deltaresolver.log.columnar.parquet_memory import open_stored
from deltaresolver.log.columnar.schemas.known_schemas import leaf_paths
from deltaresolver.log.replay.few_kinds import LiveFile
from deltaresolver.log.segment import CheckpointFiles
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.actions import AddFile, DeletionVector
from deltaresolver.model.file_key import canonical_path

MAX_ROWS = 4_000
_FIELDS = frozenset(FileColumns.WITHOUT_STATS.value)
_NO_VECTOR = dict.fromkeys(
    ("storageType", "pathOrInlineDv", "offset", "sizeInBytes", "cardinality", "maxRowIndex"), None
)


def files_of_checkpoint(store: LogStore, checkpoint: CheckpointFiles) -> list[LiveFile] | None:
    """The files of a checkpoint in one small Parquet file; None where they are many, or told in an unusual way.

    Raises `CheckpointUnusableError`.
    """
    path = checkpoint.paths[0]
    try:
        with open_stored(store, path, checkpoint.sizes[0]) as file:
            if file.metadata.num_rows > MAX_ROWS:
                return None
            adds = _adds(file)
            return None if adds is None else _files(adds)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise unusable(checkpoint, path, error) from error


def _adds(file: pq.ParquetFile) -> pa.StructArray | None:
    """The rows, null but where they add a file, without leaves that have no value; None for columns of other types."""
    leaves = [path for path in leaf_paths(file) if path.startswith("add.") and path.split(".", 2)[1] in _FIELDS]
    if "add.path" not in leaves:
        return None
    column = file.read(columns=without_empty_leaves(file, leaves), use_threads=False).column("add")
    return column.combine_chunks() if _is_usual(column.type) else None


def _is_usual(kind: pa.DataType) -> bool:
    fields = {field.name: field.type for field in kind}
    texts = ("path", "clusteringProvider")
    numbers = ("size", "modificationTime", "baseRowId", "defaultRowCommitVersion")
    return (
        all(pa.types.is_string(fields[name]) for name in texts if name in fields)
        and all(pa.types.is_integer(fields[name]) for name in numbers if name in fields)
        and all(pa.types.is_map(fields[name]) for name in ("partitionValues", "tags") if name in fields)
        and ("deletionVector" not in fields or pa.types.is_struct(fields["deletionVector"]))
    )


def _files(adds: pa.StructArray) -> list[LiveFile] | None:
    """Each file; None where one has no path."""
    columns = dict(zip((field.name for field in adds.type), adds.flatten(), strict=True))
    if columns["path"].null_count != adds.null_count:
        return None
    nothing = [None] * len(adds)
    paths, sizes, ids, vectors = (
        columns[name].to_pylist() if name in columns and columns[name].null_count < len(adds) else nothing
        for name in ("path", "size", "baseRowId", "deletionVector")
    )
    found = []
    for place, (path, size, row_id, told) in enumerate(zip(paths, sizes, ids, vectors, strict=True)):
        if path is None:
            continue
        vector = _vector(told)
        key = (canonical_path(path), None if vector is None else vector.unique_id)
        whole = partial(_add_of_row, adds, place)
        found.append(LiveFile(key, size or 0, vector is not None, row_id is not None, whole))
    return found


def _add_of_row(adds: pa.StructArray, place: int) -> AddFile:
    row = adds[place].as_py()
    vector = _vector(row.pop("deletionVector", None))
    return attrs.evolve(add_from_row(row), deletion_vector=vector)


def _vector(told: dict[str, Any] | None) -> DeletionVector | None:
    """Leaves of a vector that nothing has a value for were not read."""
    return None if told is None else vector_from_row({**_NO_VECTOR, **told})
