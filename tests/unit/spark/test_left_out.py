"""What is None or misspelt is refused: neither stands for every row, or for rows that nobody asked for."""

from __future__ import annotations

from typing import Any

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import (
    ArgumentInvalidError,
    ArgumentTypeError,
    ReadOptionInvalidError,
    WriteOptionError,
)
from deltaresolver.spark.changes.arguments import LeftOut, checked_condition
from deltaresolver.spark.reading.read_options import ensure_none_misspelt, ensure_read_options
from deltaresolver.spark.writing.write_options import parse_write_options

NO_SPARK: Any = None
"""No session: what is refused is refused before one is looked at."""


def test_a_condition_of_none_empties_and_changes_no_table() -> None:
    with pytest.raises(ArgumentInvalidError, match="'condition' cannot be None"):
        ds.delete(NO_SPARK, "events", None)  # type: ignore[arg-type]
    with pytest.raises(ArgumentInvalidError, match="'condition' cannot be None"):
        ds.update(NO_SPARK, "events", {"id": "0"}, None)  # type: ignore[arg-type]
    assert checked_condition(LeftOut.CONDITION) is None
    assert checked_condition("id = 1") == "id = 1"


def test_arguments_in_another_order_are_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="'set' must be a dict"):
        ds.update(NO_SPARK, "events", "id = 1", {"id": "0"})  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="'condition' must be"):
        ds.delete(NO_SPARK, "events", {"id": "0"})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["replaceWhere", "REPLACEWHERE"])
def test_replace_where_of_none_does_not_replace_every_row(name: str) -> None:
    with pytest.raises(WriteOptionError, match="every row"):
        parse_write_options("overwrite", options={name: None})


@pytest.mark.parametrize(("name", "meant"), [("version", "versionAsOf"), ("timestamp", "timestampAsOf")])
def test_an_option_that_no_read_takes_is_not_passed_over(name: str, meant: str) -> None:
    with pytest.raises(ReadOptionInvalidError, match=meant):
        ds.read(NO_SPARK, "events", options={name: "0"})


def test_options_of_reads_are_known_in_any_case() -> None:
    ensure_read_options({"VERSIONASOF": "0", "readchangefeed": "true"})


@pytest.mark.parametrize(
    ("name", "meant"),
    [("version", "versionAsOf"), ("TimeStamp", "timestampAsOf"), ("startVersion", "startingVersion")],
)
def test_an_option_of_the_data_source_that_was_meant_for_a_read_is_not_passed_over(name: str, meant: str) -> None:
    with pytest.raises(ReadOptionInvalidError, match=meant):
        ensure_none_misspelt({name: "0"})


def test_options_of_other_libraries_are_let_through() -> None:
    ensure_none_misspelt({"VERSIONASOF": "0", "maxFilesPerTrigger": "1", "timestampFormat": "y", "header": "true"})
