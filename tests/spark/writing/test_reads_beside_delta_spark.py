"""Appends of a table's own rows, here and by delta-spark: the same are called blind, the same conflict."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import ConcurrentAppendError
from deltaresolver.table import Table
from tests.peers.delta_spark import DeltaSpark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltaresolver.spark.reading.read_options import ChangeFeed

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]

ROWS = "select id, id % 2 p from range(10)"


@attrs.frozen
class Side:
    """One of the two: how it reads and writes the table at `path`."""

    peer: DeltaSpark
    path: str
    is_ours: bool

    def read(self, version: int | None = None) -> DataFrame:
        """The rows."""
        if self.is_ours:
            return ds.read(self.peer.spark, self.path, version=version)
        return self.peer.read(self.path, version)

    def changes(self) -> DataFrame:
        """The rows that the table ever got."""
        if self.is_ours:
            feed: ChangeFeed = ds.ChangeFeed(starting_version=0)
            return ds.read(self.peer.spark, self.path, change_feed=feed)
        reader = self.peer.spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 0)
        return reader.load(self.path)

    def write(self, rows: DataFrame, mode: str = "append", **options: str) -> None:
        """Write rows."""
        if self.is_ours:
            ds.write(rows, self.path, mode=mode, options=options)
        else:
            self.peer.write(rows, self.path, mode, **options)

    def other(self) -> DataFrame:
        """Rows of nowhere."""
        return self.peer.spark.sql("select 77L id, 0L p")

    def viewed(self) -> str:
        """The name of a view of the rows."""
        name = f"rows_{'here' if self.is_ours else 'there'}"
        self.read().createOrReplaceTempView(name)
        return name

    def last(self) -> Any:
        """What the newest commit says of itself."""
        newest = max(Path(self.path, "_delta_log").glob("*.json"))
        infos = (json.loads(line).get("commitInfo") for line in newest.read_text().splitlines())
        return next(info for info in infos if info)


PROGRAMS: dict[str, Callable[[Side], None]] = {
    "other rows": lambda side: side.write(side.other()),
    "own rows": lambda side: side.write(side.read().selectExpr("id + 100 id", "p")),
    "overwrite": lambda side: side.write(side.read().where("id < 5"), "overwrite"),
    "replaceWhere": lambda side: side.write(
        side.read().where("p = 0").selectExpr("id", "1L p"), "overwrite", replaceWhere="p = 1"
    ),
    "version 0": lambda side: side.write(side.read(0)),
    "self join": lambda side: side.write(
        side.read().alias("x").join(side.read().alias("y"), "id").selectExpr("id", "x.p")
    ),
    "view": lambda side: side.write(side.peer.spark.table(side.viewed())),
    "subquery": lambda side: side.write(
        side.peer.spark.sql(f"select id, id p from range(20) where id in (select id from {side.viewed()})")
    ),
    "kept rows": lambda side: side.write(side.read().localCheckpoint()),
    "changes": lambda side: side.write(side.changes().select("id", "p")),
    "union": lambda side: side.write(side.other().union(side.read().where("p = 0"))),
}


@pytest.fixture
def sides(delta_spark: DeltaSpark, tmp_path: Path) -> list[Side]:
    """The same table twice."""
    found = [Side(delta_spark, str(tmp_path / name), name == "ours") for name in ("ours", "theirs")]
    for side in found:
        rows = delta_spark.spark.sql(ROWS).coalesce(1)
        options = {"delta.enableChangeDataFeed": "true"}
        rows.write.format("delta").partitionBy("p").options(**options).save(side.path)
    return found


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_same_appends_are_called_blind(sides: list[Side], program: Callable[[Side], None]) -> None:
    told = []
    for side in sides:
        program(side)
        told.append([side.last().get(key) for key in ("isBlindAppend", "readVersion", "isolationLevel", "operation")])
    ours, theirs = sides
    assert told[0] == told[1]
    assert sorted(map(tuple, ours.read().collect())) == sorted(map(tuple, theirs.read().collect()))


def test_a_cached_frame_is_a_read_here_alone(sides: list[Side]) -> None:
    told = {}
    for side in sides:
        rows = side.read().cache()
        rows.count()
        side.write(rows)
        told[side.is_ours] = side.last()["isBlindAppend"]
    assert told == {True: False, False: True}


@pytest.mark.parametrize(("read", "added", "conflicts"), [("p >= 0", 0, True), ("p = 0", 1, False), ("p = 0", 0, True)])
def test_the_same_appends_conflict(
    sides: list[Side], tmp_path: Path, read: str, added: int, *, conflicts: bool
) -> None:
    outcomes = []
    for side in sides:
        spark = side.peer.spark
        others = spark.sql(f"select 77L id, {added}L p")
        failed: list[bool] = []
        if side.is_ours:  # what counts is when the rows were read
            rows = ds.read(spark, side.path, where=read)
            ds.write(others, side.path, mode="append")
            _write(side, rows, failed)
        else:  # what counts is when the write began: it waits until somebody else has committed
            begun, go_on = tmp_path / "begun", tmp_path / "go on"
            # In one task, so that the other core is left for the other commit.
            held = side.read().where(read).coalesce(1).where(_held(begun, go_on)("id"))
            thread = threading.Thread(target=_write, args=(side, held, failed))
            thread.start()
            while not begun.exists() and thread.is_alive():
                time.sleep(0.05)
            ds.write(others, side.path, mode="append")
            go_on.touch()
            thread.join()
        outcomes.append(failed)
        assert Table(side.path).snapshot().table_version == (1 if conflicts else 2)
    assert outcomes == ([[True], [True]] if conflicts else [[], []])


def _held(begun: Path, go_on: Path) -> Any:
    """A condition that holds, but only after `go_on` is there; it makes `begun` when it is first asked."""
    from pyspark.sql import functions

    started, released = str(begun), str(go_on)

    def holds(number: int) -> bool:
        import pathlib
        import time

        pathlib.Path(started).touch()
        waited = 0.0
        while not pathlib.Path(released).exists() and waited < 60:
            time.sleep(0.05)
            waited += 0.05
        return True

    return functions.udf(holds, "boolean", useArrow=False)


def _write(side: Side, rows: DataFrame, failed: list[bool]) -> None:
    """Write, and note whether what it raised, if anything, is a conflict over what others appended."""
    try:
        side.write(rows)
    except Exception as error:  # noqa: BLE001 - delta-spark's come as whatever py4j makes of them
        failed.append(isinstance(error, ConcurrentAppendError) or "DELTA_CONCURRENT_APPEND" in str(error))


def test_rows_that_were_deleted_stay_deleted(sides: list[Side]) -> None:
    for side in sides:
        rows = side.read().where("id = 0")
        side.peer.spark.sql(f"delete from delta.`{side.path}` where id = 0")
        if side.is_ours:  # delta-spark reads the table again, and finds nothing
            with pytest.raises(ConcurrentAppendError):
                side.write(rows)
        else:
            side.write(rows)
        assert side.read().where("id = 0").count() == 0
