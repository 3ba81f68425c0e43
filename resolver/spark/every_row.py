"""What Spark's Parquet reader has to be told while a statement runs, so that its conditions find every row."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from deltaresolver.model.facts.keys import COLUMN_ID
from deltaresolver.model.schema import StructType, walk_fields
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.session import find_setting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SETTINGS = (
    # Java's new dates have every day; the old ones lack 1582-10-05 to 1582-10-14.
    (("date", "timestamp"), {"spark.sql.datetime.java8API.enabled": "true"}),
    # Rows that Parquet itself compares are compared by their bits: `0.0` does not find `-0.0`.
    (("float", "double"), {"spark.sql.parquet.recordLevelFilter.enabled": "false"}),
)
"""By the types of columns that need them."""

READ_FIELD_IDS = "spark.sql.parquet.fieldId.read.enabled"
_NO_NULLS = {"spark.sql.parquet.fieldId.read.ignoreMissing": "false"}
"""A file without ids is an error where columns are looked for by them; else its rows would have null in all columns."""

_ALWAYS = {"spark.sql.retainGroupColumns": "true"}
"""Rows are counted by the file that they are in, and the counts have to say which."""

EVERY_FILE = {"ignoreMissingFiles": "false", "ignoreCorruptFiles": "false"}
"""Options of Spark's readers: a file that is missing or damaged is an error, whatever the session makes of it."""


def every_row(spark: SparkSession, schema: StructType) -> AbstractContextManager[None]:
    """Inside of it Spark finds and gives the rows of a table as they are, also where the session's settings miss some.

    `schema` is the table's, of whose columns some are compared or written again.
    """
    fields = [field for _, field in walk_fields(schema)]
    types = {field.type for field in fields if isinstance(field.type, str)}
    needed: list[Mapping[str, str]] = [_ALWAYS, *(settings for kinds, settings in _SETTINGS if types & set(kinds))]
    if any(COLUMN_ID in (field.metadata or {}) for field in fields):
        needed.append(_for_ids(spark))
    return session_settings(spark, {key: value for settings in needed for key, value in settings.items()})


def every_file(spark: SparkSession) -> AbstractContextManager[None]:
    """Inside of it no query passes over a file that is missing, damaged or without ids, also where a session wishes so.

    For what looks at the rows of one table alone: a statement with a source leaves the source's files to the session.
    """
    settings = {f"spark.sql.files.{name}": value for name, value in EVERY_FILE.items()}
    return session_settings(spark, {**settings, **_for_ids(spark)})


def _for_ids(spark: SparkSession) -> Mapping[str, str]:
    return _NO_NULLS if (find_setting(spark, READ_FIELD_IDS) or "").lower() == "true" else {}
