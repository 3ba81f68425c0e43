"""What follows from a Parquet file's schema alone, remembered for files that have the same one.

A small checkpoint is opened to read a few values. Naming its leaves takes longer than that, and most checkpoints of a
lake have one of a few schemas, spelt in the same bytes.

What is remembered is used for other tables, so it goes by the footer as pyarrow understood it, written again. The bytes
in the file may say something else: a footer that has its schema twice is read by the second one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.log.columnar.distinct_names import ensure_distinct_names
from deltaresolver.log.columnar.schemas.parquet_footer import footer_start, schema_end

_MAX_BYTES = 1 << 15
_MAX_KNOWN = 64
_ARROW_SCHEMA = b"ARROW:schema"
"""What some writers keep beside the schema, and pyarrow follows."""


@attrs.frozen(slots=True)
class LeafNames:
    """The leaves of a schema no two fields of which have one name in one place.

    paths      of each leaf, such as `add.size`, in their order
    top        the fields at the top
    by_prefix  the numbers of the leaves below each field, as pyarrow has them
    """

    paths: tuple[str, ...]
    top: tuple[str, ...]
    by_prefix: dict[str, list[int]]


class SmallParquetFile(pq.ParquetFile):  # type: ignore[misc]
    """A Parquet file that is held whole, in bytes. Raises `pyarrow.ArrowInvalid` for two fields of one name."""

    leaves: LeafNames

    def __init__(self, content: bytes) -> None:
        super().__init__(pa.BufferReader(content), pre_buffer=False)
        if not hasattr(self, "leaves"):  # another pyarrow, which makes no list of paths
            self.leaves = _names_of(self, {})

    def _build_nested_paths(self) -> dict[str, list[int]]:
        """What pyarrow makes for every file that it opens."""
        build = super()._build_nested_paths
        self.leaves = _find_or_make(_footer_of(self), lambda: _names_of(self, build()))
        return self.leaves.by_prefix


def leaf_paths(file: pq.ParquetFile) -> Sequence[str]:
    """The paths of a file's leaves, in their order."""
    return file.leaves.paths if isinstance(file, SmallParquetFile) else _paths(file)


def top_names(file: pq.ParquetFile) -> Sequence[str]:
    """The names of a file's fields at the top."""
    names: Sequence[str] = file.leaves.top if isinstance(file, SmallParquetFile) else file.schema_arrow.names
    return names


def _paths(file: pq.ParquetFile) -> list[str]:
    schema = file.metadata.schema
    return [schema.column(index).path for index in range(len(schema))]


def _names_of(file: pq.ParquetFile, by_prefix: dict[str, list[int]]) -> LeafNames:
    schema = file.schema_arrow
    ensure_distinct_names(schema)
    return LeafNames(tuple(_paths(file)), tuple(schema.names), by_prefix)


_known: dict[bytes, LeafNames] = {}
"""By the bytes of the schema."""
_lengths: set[int] = set()


def _footer_of(file: pq.ParquetFile) -> bytes:
    """A file without rows that has this one's footer."""
    sink = pa.BufferOutputStream()
    file.metadata.write_metadata_file(sink)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _find_or_make(content: bytes, make: Callable[[], LeafNames]) -> LeafNames:
    """The names in a schema that was met before, or those that are made now."""
    start = footer_start(content)
    if start is None or content.find(_ARROW_SCHEMA, start) >= 0:
        return make()
    for length in tuple(_lengths):  # other threads may add to them
        # A schema says where it ends, so that no other one begins with its bytes.
        found = _known.get(content[start : start + length])
        if found is not None:
            return found
    made, end = make(), schema_end(content, start)
    if end is not None and start < end <= min(start + _MAX_BYTES, len(content) - 8):
        _remember(content[start:end], made)
    return made


def _remember(schema: bytes, names: LeafNames) -> None:
    if len(_known) >= _MAX_KNOWN:
        _known.clear()
        _lengths.clear()
    _known[schema] = names
    _lengths.add(len(schema))
