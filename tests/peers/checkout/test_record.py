"""The list of delta-spark's own tests that fail here: it gets shorter, and the runner notices what is not on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.peers.checkout.adapt import EXAMPLES, adapted_example
from tests.peers.checkout.record import EXPECTED, KINDS, PASSED, Expected, Record
from tests.peers.checkout.run import parsed

MOST = {"classic": 2, "connect": 2, "examples": 3}
"""How long each list may be. These numbers only ever go down."""


@pytest.mark.parametrize("kind", KINDS)
def test_the_lists_only_get_shorter(kind: str) -> None:
    expected = Expected.of(kind)
    assert len(expected.fails) == MOST[kind], "a shorter list takes a smaller number here"
    assert all(reason.startswith(("Never", "Not yet")) for reason in expected.fails.values())
    assert expected.count == (len(EXAMPLES) if kind == "examples" else 48)


def test_the_file_holds_the_lists_and_the_checkout_alone() -> None:
    assert set(json.loads(EXPECTED.read_text())) == {"checkout", *KINDS}


def test_every_result_that_differs_from_the_list_is_reported() -> None:
    expected = Expected(3, {"m.a": "Never: why", "m.b": "Not yet: why"})
    assert list(expected.differences({"m.a": "E: x", "m.b": "E: y", "m.c": PASSED})) == []
    assert list(expected.differences({"m.a": PASSED, "m.c": "E: z"})) == [
        "2 ran, and 3 are recorded",
        "m.a passes: take it off the list",
        "m.c fails: E: z",
        "m.b is on the list, and there is no such test",
    ]
    assert list(expected.differences({"m.a": "E: x", "m.c": "E: z"}, ["m.a"])) == []


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    record = Record.at(tmp_path / "r")
    record.note("m.a", "E: x")
    record.note("m.b", PASSED)
    again = Record.at(tmp_path / "r")
    again.note("m.a", PASSED)
    assert Record.at(tmp_path / "r").known == {"m.a": PASSED, "m.b": PASSED}


def test_an_example_loses_only_the_settings_of_the_jar() -> None:
    text = (
        "from delta.tables import DeltaTable\n"
        "spark = SparkSession.builder \\\n"
        '    .appName("x") \\\n'
        "    .config('spark.sql.extensions', 'io.delta.sql.DeltaSparkSessionExtension') \\\n"
        '    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog") \\\n'
        '    .config("spark.a", "b") \\\n'
        "    .getOrCreate()\n"
        'spark.range(5).write.format("delta").save("/tmp/t")\n'
    )
    assert adapted_example(text, Path("/f")) == (
        "from deltaresolver.spark.tables import DeltaTable\n"
        "spark = SparkSession.builder \\\n"
        '    .appName("x") \\\n'
        '    .config("spark.a", "b") \\\n'
        "    .getOrCreate()\n"
        "__import__('deltaresolver.spark').spark.enable(spark)\n\n"
        'spark.range(5).write.format("delta").save("/f/t")\n'
    )


def test_names_may_stand_behind_options() -> None:
    given = parsed(["/c", "tests", "--connect", "--record", "/r", "m.a", "m.b"])
    assert (given.what, given.connect, given.record, given.names) == ("tests", True, Path("/r"), ["m.a", "m.b"])
