"""Whatever text a log holds for a value, the library reads from it what Spark casts it to."""

from __future__ import annotations

import datetime
import decimal
import itertools
import random
from typing import TYPE_CHECKING, Any

import pytest

from deltaresolver.model.facts.stored_text import read_stored
from tests import nasty

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

EPOCH = datetime.datetime(1970, 1, 1)
TYPES = {
    "byte": "try_cast(t AS TINYINT)",
    "integer": "try_cast(t AS INT)",
    "long": "try_cast(t AS BIGINT)",
    "double": "try_cast(t AS DOUBLE)",
    "decimal": "try_cast(t AS DECIMAL(38, 9))",
    "boolean": "try_cast(t AS BOOLEAN)",
    "date": "unix_date(try_cast(t AS DATE))",
    "timestamp": "unix_micros(try_cast(t AS TIMESTAMP))",
    "timestamp_ntz": "unix_micros(try_cast(concat(try_cast(t AS TIMESTAMP_NTZ), 'Z') AS TIMESTAMP))",
}
MADE = 3_000
BEYOND_PRECISION = decimal.Decimal("1e29")


def test_no_text_is_read_otherwise_than_by_spark(spark: SparkSession) -> None:
    texts = [text for text in (*nasty.STORED_TEXTS, *nasty.STRINGS, *_made(20241119)) if "\x00" not in text]
    frame = spark.createDataFrame([(text,) for text in texts], "t string")
    zone = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    try:
        found = frame.selectExpr("t", *(f"{cast} AS `{kind}`" for kind, cast in TYPES.items())).collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    wrong = [
        (kind, row["t"], ours, row[kind])
        for row in found
        for kind in TYPES
        if (ours := _number(kind, row["t"])) is not None and not _same(ours, row[kind])
    ]
    assert wrong == []
    read = sum(_number(kind, row["t"]) is not None for row in found for kind in TYPES)
    assert read >= 0.7 * sum(row[kind] is not None for row in found for kind in TYPES)


def _number(kind: str, text: str) -> Any:
    try:
        value: Any = read_stored(kind, text)
    except ValueError:
        return None
    if isinstance(value, datetime.datetime):
        moment = value if value.tzinfo is None else value.astimezone(datetime.UTC).replace(tzinfo=None)
        return (moment - EPOCH) // datetime.timedelta(microseconds=1)
    return (value - EPOCH.date()).days if isinstance(value, datetime.date) else value


def _made(seed: int) -> list[str]:
    """Days and moments in parts that fit or do not, numbers and truth values with something around them."""
    draw = random.Random(seed)
    moments = list(itertools.product(nasty.STORED_DAYS, nasty.STORED_TIMES, nasty.STORED_ZONES))
    numbers = list(itertools.product(nasty.STORED_PREFIXES, nasty.STORED_NUMBERS, nasty.STORED_SUFFIXES))
    return ["".join(parts) for parts in (*draw.sample(moments, MADE), *draw.sample(numbers, MADE // 3))]


def _same(ours: Any, spark: Any) -> bool:
    if isinstance(ours, decimal.Decimal):
        if abs(ours) >= BEYOND_PRECISION:  # a column's precision is not what a text is judged by
            return True
        return spark is not None and abs(ours - spark) < decimal.Decimal("1e-9")
    return repr(ours) == repr(spark)
