"""Which rows go to which part of a multi-part checkpoint: by Spark's hash partitioning, as the specification demands.

Writers that race to write the same parts then write the same actions into each.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltaresolver.log.checkpoint.parquet_encoding import ROWS_AT_ONCE, encode_parquet
from deltaresolver.log.checkpoint.spark_hash import SEED, hash_texts, partition_of
from deltaresolver.log.checkpoint.state import CheckpointState, all_pieces, file_pieces
from deltaresolver.log.columnar.fast.arrow_numpy import from_flags, one_text

_Parts = npt.NDArray[np.int64]


def encode_parts(state: CheckpointState, schema: pa.Schema, count: int) -> list[bytes]:
    """The Parquet files of a checkpoint in `count` parts."""
    with_vectors = "deletionVectors" in state.protocol.writer_feature_names
    add_parts = _parts_of(state.adds, count, with_vectors)
    remove_parts = _parts_of(state.removes, count, with_vectors)
    # What has no path hashes to the seed.
    home = int(partition_of(np.array([SEED], np.uint32), count)[0])
    files = []
    for part in range(count):
        mine = state.with_files(_rows_in(state.adds, add_parts, part), _rows_in(state.removes, remove_parts, part))
        pieces = (all_pieces if part == home else file_pieces)(mine, schema, ROWS_AT_ONCE)
        files.append(encode_parquet(pieces, schema))
    return files


def _rows_in(files: pa.Table, parts: _Parts, part: int) -> pa.Table:
    return files.filter(from_flags(parts == part))


def _parts_of(files: pa.Table, count: int, with_vectors: bool) -> _Parts:
    paths = files.column("path").combine_chunks()
    hashes = hash_texts(paths, np.full(len(paths), SEED, np.uint32))
    vectors = files.column("deletionVector").combine_chunks()
    if with_vectors and vectors.null_count < len(vectors):
        hashes = hash_texts(_vector_ids(vectors), hashes)
    return partition_of(hashes, count)


def _vector_ids(vectors: pa.StructArray) -> pa.StringArray:
    """The deletion vectors' unique ids, null where there is no vector."""
    kind, place, offset = (pc.struct_field(vectors, name) for name in ("storageType", "pathOrInlineDv", "offset"))
    nothing = one_text("")
    suffix = pc.fill_null(pc.binary_join_element_wise(one_text("@"), offset.cast(pa.string()), nothing), nothing)
    return pc.binary_join_element_wise(kind, place, suffix, nothing)
