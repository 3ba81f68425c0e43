"""What the log knows of few files, as conditions on a row's file: cheaper for every row than a join."""

from __future__ import annotations

from collections.abc import Iterable

from deltaresolver.spark.reading.file_keys import MetadataKeys

_MOST = {"file_size": 32, "file_path": 8}
"""Files that a row is compared with one after another, by the kind of key."""


def are_few(keys: MetadataKeys) -> bool:
    """Whether conditions are cheaper than a join."""
    return len(keys.values) <= _MOST[keys.field]


def by_file(key: str, keys: MetadataKeys, values: Iterable[str], kind: str, unknown: str) -> str:
    """SQL: the one of `values` (SQL, too) that is of the row's file; for a file that is none of `keys`, `unknown`."""
    cases = " ".join(f"WHEN {literal(one)} THEN {value}" for one, value in zip(keys.values, values, strict=True))
    return f"CAST(CASE {key} {cases} ELSE {unknown} END AS {kind})"


def literal(value: object) -> str:
    """A number, a text or nothing as SQL, safe from whatever the session says of quotes and backslashes."""
    if isinstance(value, str):
        return f"CAST(X'{value.encode().hex()}' AS STRING)"
    return "NULL" if value is None else f"{value}L"
