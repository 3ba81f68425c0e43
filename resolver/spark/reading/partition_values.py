"""How the partition values of the log, which data files do not hold, reach the rows.

Cheapest first: files of few partitions are read partition by partition with the values as literals; where the
folders say what the log says, Spark finds the values in the paths itself, in one go for each folder that such
folders lie in (the table, or the folder of a write); else they are joined by file.
The first two let Spark skip partitions by filters that come later.
"""

from __future__ import annotations

import enum
import re
import urllib.parse
from collections.abc import Mapping, Sequence

import attrs
import pyarrow as pa

from deltaresolver.log.names import NULL_FOLDER
from deltaresolver.model.facts.columns import physical_name
from deltaresolver.model.schema import StructField, base_type

FEW = 8
"""Up to so many partitions, one small plan each costs less than anything else."""

_SAME_IN_FOLDERS = {
    "string": re.compile(r".+", re.DOTALL),
    "byte": re.compile(r"-?(0|[1-9]\d{0,2})"),
    "short": re.compile(r"-?(0|[1-9]\d{0,4})"),
    "integer": re.compile(r"-?(0|[1-9]\d{0,9})"),
    "long": re.compile(r"-?(0|[1-9]\d{0,17})"),
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
}
"""Types, and the texts of them, that Spark reads from a folder's name exactly as it casts the log's text."""


class Carrier(enum.Enum):
    """What brings partition values to the rows."""

    NOTHING = "nothing"
    LITERALS = "literals"
    FOLDERS = "folders"
    JOIN = "join"


@attrs.frozen(slots=True)
class PartitionColumn:
    """A partition column by the name users see, the log's name, and its type."""

    name: str
    logged_name: str
    type: str

    @classmethod
    def of(cls, field: StructField, mode: str) -> PartitionColumn:
        """The column of a field under column mapping `mode`."""
        return cls(field.name, physical_name(field, mode), str(field.type))


Values = tuple[str | None, ...]
"""A partition's values as the log's text, in the order of the columns; null where the text is empty."""


def values_by_file(files: pa.Table, columns: Sequence[PartitionColumn]) -> list[Values]:
    """The partition values of every file."""
    rows = files.column("partitionValues").to_pylist()
    return [_values(dict(items or ()), columns) for items in rows]


def _values(logged: Mapping[str, str | None], columns: Sequence[PartitionColumn]) -> Values:
    return tuple(logged.get(column.logged_name) or None for column in columns)


def choose_carrier(
    paths: Sequence[str], values: Sequence[Values], asked: Sequence[PartitionColumn], all_columns: int
) -> Carrier:
    """The cheapest way to bring the values of `asked` to files at these logged paths.

    Folders serve only if `asked` are all partition columns, since Spark takes all of a path or nothing.
    """
    if not asked:
        return Carrier.NOTHING
    if len(set(values)) <= FEW:
        return Carrier.LITERALS
    if len(asked) == all_columns and len({base_of(path, all_columns) for path in paths}) <= FEW:
        return Carrier.FOLDERS if _folders_agree(paths, values, asked) else Carrier.JOIN
    return Carrier.JOIN


def base_of(path: str, partition_columns: int) -> str:
    """The folder, URI-encoded and with its slash, that the partition folders of a file lie in; none for the table."""
    folders = path.split("/")[:-1]
    return "".join(f"{each}/" for each in folders[: max(len(folders) - partition_columns, 0)])


def _folders_agree(paths: Sequence[str], values: Sequence[Values], columns: Sequence[PartitionColumn]) -> bool:
    checked: dict[str, Values] = {}
    for path, expected in zip(paths, values, strict=True):
        folder = path.rpartition("/")[0]
        known = checked.get(folder)
        if known is None:
            if not _folder_says(folder, expected, columns):
                return False
            checked[folder] = expected
        elif known != expected:
            return False
    return True


def _folder_says(folder: str, expected: Values, columns: Sequence[PartitionColumn]) -> bool:
    folders = urllib.parse.unquote(folder).split("/")
    parts = folders[-len(columns) :]
    # Spark takes every folder of this form for a partition's.
    if len(parts) != len(columns) or any("=" in each for each in folders[: -len(columns)]):
        return False
    for part, value, column in zip(parts, expected, columns, strict=True):
        name, equals, text = part.partition("=")
        if not equals or urllib.parse.unquote(name) != column.logged_name:
            return False
        if value is None:
            if text != NULL_FOLDER:
                return False
            continue
        pattern = _SAME_IN_FOLDERS.get(base_type(column.type))
        if pattern is None or not pattern.fullmatch(value) or text == NULL_FOLDER:
            return False
        # Spark undoes one escape at a time, which is not how UTF-8 is escaped.
        if urllib.parse.unquote(text) != value or (not value.isascii() and "%" in text):
            return False
    return True
