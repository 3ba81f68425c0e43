"""Files in Spark's legacy calendar: the data source reads what Spark does, and statistics hold for what Spark reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import deltaresolver.spark as ds
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.parquet_calendar import FileCalendar, gregorian_days, gregorian_micros
from deltaresolver.spark.reading.select_files import select_files
from deltaresolver.table import Table
from tests.nasty import DATES, MOMENTS, ZONES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

FORMAT = "deltaresolver"
OLD = {
    "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
    "spark.sql.parquet.int96RebaseModeInWrite": "LEGACY",
}
READ_MODES = ("spark.sql.parquet.datetimeRebaseModeInRead", "spark.sql.parquet.int96RebaseModeInRead")
MARKS = (b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96", b"org.apache.spark.timeZone")


@pytest.fixture(params=ZONES)
def zone(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[str]:
    with session_settings(spark, {"spark.sql.session.timeZone": request.param}):
        ds.register(spark)
        yield request.param
    ds.register(spark)


def rows(spark: SparkSession) -> DataFrame:
    """Each date and moment, alone and inside a struct, an array and a map."""
    pairs = [*zip(DATES, (*MOMENTS, None), strict=False), (None, None)]
    frame = spark.createDataFrame([(number, *each) for number, each in enumerate(pairs)], "id int, x string, y string")
    plain = frame.selectExpr("id", "cast(x as date) d", "cast(y as timestamp) t", "cast(y as timestamp_ntz) n")
    return plain.selectExpr("*", "named_struct('d', d, 't', t) s", "array(d, null, d) a", "map('k', t) m")


def comparable(frame: DataFrame) -> list[tuple[Any, ...]]:
    """The rows with days and moments as numbers, since Python knows neither all of them nor all zones."""
    numbers = "unix_date(d)", "unix_micros(t)", "cast(n as string)", "unix_date(s.d)", "unix_micros(s.t)"
    nested = "transform(a, x -> unix_date(x))", "unix_micros(m['k'])"
    return [tuple(row) for row in frame.selectExpr("id", *numbers, *nested).sort("id").collect()]


def by_source(spark: SparkSession, path: Path) -> DataFrame:
    return spark.read.format(FORMAT).load(str(path))


def test_both_interfaces_read_the_same_days(spark: SparkSession, tmp_path: Path, zone: str) -> None:
    path, given = tmp_path / "t", rows(spark)
    expected = comparable(given)
    with session_settings(spark, OLD):
        ds.write(given, path)
    footers = [pq.read_metadata(file) for file in path.glob("w*/*.parquet")]
    assert all(MARKS[0] in (footer.metadata or {}) for footer in footers)
    read = comparable(ds.read(spark, path))
    assert comparable(by_source(spark, path)) == read
    # In zones that are given by their offset, Spark itself moves the first hours of 1582-10-15.
    assert read == expected or zone == "+05:30"
    assert FileCalendar.of(footers[0].metadata).zone == zone


def test_statistics_leave_no_row_out(spark: SparkSession, tmp_path: Path, zone: str) -> None:
    path = tmp_path / "t"
    with session_settings(spark, OLD):
        ds.write(rows(spark).select("id", "d", "t", "n"), path, options={"maxRecordsPerFile": 1})
    everything, snapshot = ds.read(spark, path).localCheckpoint(), Table(path).snapshot()
    for day, moment in zip(DATES[:6], MOMENTS[:6], strict=True):
        on_days = f"d = date'{day}'", f"d <= date'{day}'"
        for condition in (*on_days, f"t = timestamp'{moment}'", f"t >= timestamp'{moment}'"):
            # The files only: Spark's own Parquet reader misses some of these moments in any table, if filters reach it.
            files = [add_from_row(row) for row in iterate_rows(select_files(snapshot, condition, zone))]
            chosen = {json.loads(add.stats or "")["minValues"]["id"] for add in files}
            assert chosen >= {row.id for row in everything.where(condition).select("id").collect()}, condition


def test_statistics_are_those_of_todays_calendar(spark: SparkSession, tmp_path: Path) -> None:
    given = spark.sql("select date'1500-01-01' d, timestamp'1500-01-01' t, timestamp'1950-01-01' u")
    with session_settings(spark, OLD):
        ds.write(given, tmp_path / "t")
    (add,) = Table(tmp_path / "t").snapshot().add_actions()
    assert add.stats is not None
    assert '"minValues":{"d":"1500-01-01","u":"1950-01-01T00:00:00.000Z"}' in add.stats
    assert ds.delete(spark, tmp_path / "t", "d = date'1500-01-01'") is not None


def test_a_table_written_before_spark_3_has_the_right_days(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    with session_settings(spark, OLD):
        ds.write(rows(spark).select("id", "d").coalesce(1), path)
    again(path, {b"org.apache.spark.version": b"2.4.8"})
    ds.register(spark)
    expected = [tuple(row) for row in rows(spark).selectExpr("id", "unix_date(d)").collect()]
    for frame in (ds.read(spark, path), by_source(spark, path)):
        assert [tuple(row) for row in frame.selectExpr("id", "unix_date(d)").sort("id").collect()] == expected


def test_files_of_unknown_writers_follow_the_session(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    with session_settings(spark, OLD):
        ds.write(rows(spark).select("id", "d").coalesce(1), path)
    again(path, {})
    for mode in ("CORRECTED", "LEGACY"):
        with session_settings(spark, dict.fromkeys(READ_MODES, mode)):
            ds.register(spark)
            one, other = (
                [tuple(row) for row in frame.selectExpr("id", "unix_date(d)").sort("id").collect()]
                for frame in (ds.read(spark, path), by_source(spark, path))
            )
            assert one == other
    ds.register(spark)


def test_moments_of_96_bits(spark: SparkSession, tmp_path: Path, zone: str) -> None:
    # ds.write never writes them; other writers' files may have them.
    folder, settings = tmp_path / "p", {**OLD, "spark.sql.parquet.outputTimestampType": "INT96"}
    given = rows(spark).selectExpr("id", "t", "named_struct('t', t) s").where("t is null or year(t) < 9000")
    with session_settings(spark, settings):
        given.coalesce(1).write.parquet(str(folder))
    path = tmp_path / "t"
    ds.write(given.limit(1).coalesce(1), path)
    replace_data(path, next(folder.glob("*.parquet")))
    columns = ["id", "unix_micros(t)", "unix_micros(s.t)"]
    one, other, expected = (
        [tuple(row) for row in frame.selectExpr(*columns).sort("id").collect()]
        for frame in (ds.read(spark, path), by_source(spark, path), given)
    )
    assert one == other
    assert one == expected or zone == "+05:30"


def test_old_moments_of_an_unknown_zone_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    with session_settings(spark, OLD):
        ds.write(spark.sql("select timestamp'1800-01-01' t"), path)
    again(path, {b"org.apache.spark.version": b"2.4.8"})
    ds.register(spark)
    with pytest.raises(Exception, match=r"DR782(.|\n)*legacy calendar|legacy calendar(.|\n)*DR782") as refused:
        by_source(spark, path).collect()
    assert ".parquet" in str(refused.value)


def test_own_files_are_the_same_days_whatever_a_session_makes_of_files_without_a_release(
    spark: SparkSession, tmp_path: Path
) -> None:
    path, given = tmp_path / "t", rows(spark)
    ds.register(spark)
    given.write.format(FORMAT).mode("append").save(str(path))
    expected = comparable(given)
    with session_settings(spark, dict.fromkeys(READ_MODES, "LEGACY")):
        ds.register(spark)
        assert comparable(ds.read(spark, path)) == expected
        assert comparable(by_source(spark, path)) == expected
        ds.DeltaTable.forPath(spark, path).update("id = 0", {"id": "-1"})  # writes the file anew
    ds.register(spark)
    assert [row[1:] for row in comparable(ds.read(spark, path))] == [row[1:] for row in expected]


def test_days_and_moments_as_the_jvm_converts_them(spark: SparkSession) -> None:
    rebase: Any = spark._jvm.org.apache.spark.sql.catalyst.util.RebaseDateTime  # type: ignore[union-attr]
    days = np.array([-1_000_000, -719_163, -682_945, -171_596, -171_595, -141_428, -141_427, -141_426, 0, 99_999])
    assert gregorian_days(days).tolist() == [rebase.rebaseJulianToGregorianDays(int(day)) for day in days]
    random = np.random.default_rng(7)
    some = random.integers(-719_162, -141_000, 200)
    assert gregorian_days(some).tolist() == [rebase.rebaseJulianToGregorianDays(int(day)) for day in some]
    moments = random.integers(-62_135_000_000, -2_000_000_000, 40) * 1_000_000 + 123_456
    cutover = -12_219_292_800_000_000
    moments = np.concatenate([moments, cutover + np.arange(-20, 20) * 3_600_000_000])
    for zone in (*ZONES, "-08:00", "+14:00", "Africa/Accra", "Asia/Tokyo", "Europe/Moscow"):
        expected = [rebase.rebaseJulianToGregorianMicros(zone, int(moment)) for moment in moments]
        assert gregorian_micros(moments, zone).tolist() == expected


def again(path: Path, footer: Mapping[bytes, bytes]) -> None:
    """Write the only data file again with other metadata in its footer, and the same numbers in it."""
    (file,) = path.glob("w*/*.parquet")
    table = pq.read_table(file)
    pq.write_table(table.replace_schema_metadata(dict(footer)), file)
    resized(path, file)


def replace_data(path: Path, source: Path) -> None:
    """Put another file in the place of the only data file."""
    (file,) = path.glob("w*/*.parquet")
    file.write_bytes(source.read_bytes())
    resized(path, file)


def resized(path: Path, file: Path) -> None:
    """Let the log know the size of a file that was replaced, and nothing of its values."""
    log = path / "_delta_log" / f"{0:020}.json"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "add" in line:
            line["add"] |= {"size": file.stat().st_size, "stats": None}
    log.write_text("\n".join(map(json.dumps, lines)) + "\n")
    for old in (*(path / "_delta_log").glob("*.crc"), *file.parent.glob(".*.crc")):
        old.unlink()
