"""Errors of this library that code written for delta-spark catches."""

from __future__ import annotations

import pickle

import pytest
from pyspark.errors import (
    AnalysisException,
    IllegalArgumentException,
    ParseException,
    PySparkException,
    UnsupportedOperationException,
)

from deltaresolver.errors import (
    ChangeFeedRangeError,
    ConcurrentAppendError,
    DeltaResolverError,
    MergeAmbiguousError,
    ReadOptionInvalidError,
    StatementUnreadableError,
    TableNameError,
    TableNotFoundError,
    TimestampOutOfRangeError,
    VersionNotFoundError,
    WriteOptionError,
)
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


@pytest.mark.parametrize(
    ("error", "caught_as", "condition"),
    [
        (VersionNotFoundError("No."), AnalysisException, "DELTA_VERSION_NOT_FOUND"),
        (TimestampOutOfRangeError("No."), AnalysisException, "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"),
        (WriteOptionError("No."), IllegalArgumentException, "DELTA_ILLEGAL_OPTION"),
        (ChangeFeedRangeError("No."), IllegalArgumentException, "DELTA_INVALID_CDC_RANGE"),
        (MergeAmbiguousError("No."), UnsupportedOperationException, MergeAmbiguousError.default_delta_condition),
        # One class for several conditions of delta-spark: the condition decides.
        (
            ReadOptionInvalidError("No.", delta_condition="DELTA_ONEOF_IN_TIMETRAVEL"),
            IllegalArgumentException,
            "DELTA_ONEOF_IN_TIMETRAVEL",
        ),
        (
            ReadOptionInvalidError("No.", delta_condition="DELTA_TIMESTAMP_INVALID"),
            AnalysisException,
            "DELTA_TIMESTAMP_INVALID",
        ),
    ],
)
def test_a_class_of_the_jvm_is_caught_as_pyspark_has_it(
    error: DeltaResolverError, caught_as: type[PySparkException], condition: str
) -> None:
    with pytest.raises(caught_as) as raised, told_as_spark():
        raise error
    assert isinstance(raised.value, type(error))
    assert raised.value.getCondition() == condition
    assert type(pickle.loads(pickle.dumps(raised.value))) is type(error)
