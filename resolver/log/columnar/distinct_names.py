"""Parquet files in which two fields of one place have one name: nobody can say which of them is meant."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa


def ensure_distinct_names(schema: pa.Schema) -> None:
    """Raises `pyarrow.ArrowInvalid` for a schema with two fields of one name beside each other."""
    waiting: list[tuple[str, Iterable[pa.Field]]] = [("", schema)]
    while waiting:
        place, fields = waiting.pop()
        seen: set[str] = set()
        for field in fields:
            name, kind = field.name, field.type
            if name in seen:
                raise pa.ArrowInvalid(f"two fields have the name {place}{name}")
            seen.add(name)
            if isinstance(kind, pa.StructType):
                waiting.append((f"{place}{name}.", kind))
