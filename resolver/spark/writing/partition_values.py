"""Partition values between Spark's folders and the log.

Spark writes each partition into a folder `column=value`, special characters escaped. The log keeps the value as text:
null for null and for the empty string, moments in UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from deltaresolver.log.names import NULL_FOLDER
from deltaresolver.model.schema import DataType

if TYPE_CHECKING:
    from pyspark.sql import Column


def folder_column(column: Column, data_type: DataType) -> Column:
    """What Spark is given to name folders by: the column itself, but moments as text in UTC, and bytes as text.

    Spark would name moments in the session's zone, where an hour comes twice when clocks go back. No bytes and
    null would be two partitions in one folder to it. Bytes that are not valid UTF-8 stop
    the write: they could not be read back.
    """
    from pyspark.sql import functions

    if data_type == "binary":
        return _text_of_bytes(column)
    if data_type != "timestamp":
        return column
    seconds = (functions.unix_micros(column).cast("decimal(20,0)") / functions.lit(1_000_000)).cast("decimal(18,6)")
    start = functions.lit("1970-01-01 00:00:00").cast("timestamp_ntz")
    return (start + functions.make_dt_interval(secs=seconds)).cast("string")


AS_TEXT = ("timestamp", "binary")
"""Types of partition columns that Spark is given as text."""


def _text_of_bytes(column: Column) -> Column:
    from pyspark.sql import functions

    text = column.cast("string")
    message = functions.concat(
        functions.lit("a partition value is not valid text, and the log holds only text: "), functions.hex(column)
    )
    is_wrong = ~functions.is_valid_utf8(text)
    return functions.when(is_wrong, functions.raise_error(message)).when(functions.length(column) > 0, text)


def log_values(path: str, folder_depth: int, columns: Sequence[tuple[str, DataType]]) -> dict[str, str | None]:
    """The partition values of a file, by physical name, from its path; `folder_depth` folders come before them."""
    parts = path.split("/")[folder_depth : folder_depth + len(columns)]
    return {name: _value(part, kind) for part, (name, kind) in zip(parts, columns, strict=True)}


def _value(part: str, data_type: DataType) -> str | None:
    text = unquote(part.partition("=")[2])
    if text in (NULL_FOLDER, ""):
        return None
    if data_type == "timestamp":
        day, _, time = text.partition(" ")
        whole, _, fraction = time.partition(".")
        return f"{day}T{whole}.{fraction.ljust(6, '0')}Z"
    return text
