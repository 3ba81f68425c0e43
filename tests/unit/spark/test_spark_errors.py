"""Errors of this library that code written for delta-spark catches."""

from __future__ import annotations

import pickle

import pytest
from pyspark.errors import AnalysisException, ParseException

from deltaresolver.errors import ConcurrentAppendError, StatementUnreadableError, TableNameError, TableNotFoundError
from deltaresolver.spark.spark_errors import told_as_spark


def test_an_analysis_error_is_one_of_sparks_too() -> None:
    with (
        pytest.raises(AnalysisException, match=r"^\[DELTA_MISSING_DELTA_TABLE\] /t is not a Delta table") as raised,
        told_as_spark(),
    ):
        raise TableNotFoundError("There is none.", fix="Look.", details={"location": "/t"})
    error = raised.value
    assert isinstance(error, TableNotFoundError)
    assert (error.code, error.fix, error.getCondition()) == ("DR410", "Look.", "DELTA_MISSING_DELTA_TABLE")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is TableNotFoundError
    assert again.message == error.message


def test_a_statement_that_cannot_be_read_is_a_parse_error() -> None:
    with pytest.raises(ParseException) as raised, told_as_spark():
        raise StatementUnreadableError("Not read.")
    assert isinstance(raised.value, StatementUnreadableError)


def test_an_error_is_changed_once_and_others_never() -> None:
    with pytest.raises(TableNameError) as raised, told_as_spark(), told_as_spark():
        raise TableNameError("Taken.")
    assert str(raised.value).count("DELTA_MISSING_DELTA_TABLE") == 1
    with pytest.raises(ConcurrentAppendError) as kept, told_as_spark():
        raise ConcurrentAppendError("Lost.")
    assert type(kept.value) is ConcurrentAppendError
