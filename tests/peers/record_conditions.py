"""What Spark answers for conditions on rows of every type, under several settings of its session.

    python -m tests.peers.record_conditions --seed 1 --conditions 3000 tests/recorded/conditions.jsonl.gz

The first line of a set has the columns, each further one either rows, which hold until the next ones, or a condition:
`sql`, the `settings` it was asked under, and in `answers` one letter a row: T, F, N (null), E (an error). A condition
that Spark does not take at all has `!` for every row.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.peers.random_conditions import SQL_TYPES, TYPES, Draw, Row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ZONES = ("UTC", "America/New_York", "Asia/Kathmandu")
ANSI, CONSECUTIVE = "spark.sql.ansi.enabled", "spark.sql.legacy.consecutiveStringLiterals.enabled"
ESCAPED, DOUBLE = "spark.sql.parser.escapedStringLiterals", "spark.sql.ansi.doubleQuotedIdentifiers"
ZONE = "spark.sql.session.timeZone"
SETTINGS: Mapping[str, str] = {ANSI: "true", CONSECUTIVE: "false", ESCAPED: "false", DOUBLE: "false", ZONE: "UTC"}
"""Where a recorded set names no other."""
ROWS, EVERY = 8, 60
"""Rows asked for at once, and conditions asked of them before new rows are drawn."""


def record(spark: SparkSession, seed: str, conditions: int) -> Iterator[dict[str, Any]]:
    """The lines of a recorded set. The session's settings are as they were afterwards."""
    draw = Draw(seed)
    yield {"columns": dict(TYPES)}
    before = {key: str(spark.conf.get(key, value)) for key, value in SETTINGS.items()}
    try:
        frame = None
        for number in range(conditions):
            if number % EVERY == 0:
                rows = draw.rows(ROWS)
                _set(spark, SETTINGS)
                frame = _frame(spark, rows)
                yield {"rows": rows}
            sql = draw.condition()
            settings = _drawn(draw)
            _set(spark, settings)
            assert frame is not None
            yield {"sql": sql, "settings": _unusual(settings), "answers": _answers(spark, sql)}
    finally:
        _set(spark, before)


def asked_again(
    spark: SparkSession, lines: Iterable[Mapping[str, Any]], respelt: Callable[[str, Mapping[str, str]], str]
) -> Iterator[tuple[str, str, str]]:
    """The conditions that Spark takes, spelt for a session that reads literals as by default: SQL, and both answers."""
    before = {key: str(spark.conf.get(key, value)) for key, value in SETTINGS.items()}
    try:
        for line in lines:
            if "rows" in line:
                _set(spark, SETTINGS)
                _frame(spark, line["rows"])
            elif "sql" in line and "!" not in line["answers"]:
                settings = {**SETTINGS, **line["settings"]}
                sql = respelt(line["sql"], settings)
                _set(spark, {**SETTINGS, ANSI: settings[ANSI], ZONE: settings[ZONE]})
                yield sql, line["answers"], _answers(spark, sql)
    finally:
        _set(spark, before)


def _drawn(draw: Draw) -> Mapping[str, str]:
    rare = 0.08
    return {
        ANSI: draw.either("true", "false", 0.5),
        CONSECUTIVE: draw.either("true", "false", 0.25),
        ESCAPED: draw.either("true", "false", rare),
        DOUBLE: draw.either("true", "false", rare),
        ZONE: draw.one_of(ZONES),
    }


def _unusual(settings: Mapping[str, str]) -> Mapping[str, str]:
    return {key: value for key, value in settings.items() if SETTINGS[key] != value}


def _set(spark: SparkSession, settings: Mapping[str, str]) -> None:
    for key, value in settings.items():
        spark.conf.set(key, value)


def _frame(spark: SparkSession, rows: Sequence[Row]) -> DataFrame:
    names = ", ".join(("n", *TYPES))
    values = ", ".join(
        f"({number}, {', '.join(_typed(row[name], kind) for name, kind in TYPES.items())})"
        for number, row in enumerate(rows)
    )
    frame = spark.sql(f"select * from values {values} as t({names})")
    frame.createOrReplaceTempView("recorded_rows")
    for number in range(len(rows)):
        frame.where(f"n = {number}").createOrReplaceTempView(f"recorded_row_{number}")
    return frame


def _typed(text: str | None, kind: str) -> str:
    target = SQL_TYPES.get(kind, kind)
    if text is None:
        return f"cast(null as {target})"
    zone = "Z" if kind == "timestamp" else ""
    return f"cast(cast(X'{(text + zone).encode().hex()}' as string) as {target})"


def _answers(spark: SparkSession, sql: str) -> str:
    from pyspark.errors import AnalysisException, PySparkException

    def asked(view: str) -> str:
        rows = spark.sql(f"select n, (\n{sql}\n) as answer from {view}").collect()
        return "".join(_LETTERS.get(row["answer"], "!") for row in sorted(rows, key=lambda row: int(row["n"])))

    try:
        return asked("recorded_rows")
    except AnalysisException:
        return "!" * ROWS
    except PySparkException:
        return "".join(_alone(asked, number) for number in range(ROWS))


def _alone(asked: Any, number: int) -> str:
    from pyspark.errors import PySparkException

    try:
        return str(asked(f"recorded_row_{number}"))
    except PySparkException:
        return "E"


_LETTERS: Mapping[Any, str] = {True: "T", False: "F", None: "N"}


def read_recorded(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a recorded set."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def main() -> None:
    """Record a set into a file."""
    from pyspark.sql import SparkSession

    from tests.spark.conftest import SETTINGS as QUIET_SETTINGS
    from tests.spark_job import configure

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--conditions", type=int, default=3000)
    parser.add_argument("target", type=Path)
    asked = parser.parse_args()
    spark = configure(SparkSession.builder.master("local[1]"), QUIET_SETTINGS).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    # Refusals are answers here.
    logging.disable(logging.CRITICAL)
    lines = [json.dumps(line, ensure_ascii=True, separators=(",", ":")) for line in
             record(spark, asked.seed, asked.conditions)]  # fmt: skip
    # Without a time in its header the same answers make the same file.
    with asked.target.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write("".join(line + "\n" for line in lines).encode())
    spark.stop()


if __name__ == "__main__":
    main()
