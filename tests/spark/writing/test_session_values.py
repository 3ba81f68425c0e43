"""The library reads all settings of a session as Spark holds them, odd texts included."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from deltaresolver.spark.settings.session_values import SessionValues
from tests import nasty

pytestmark = pytest.mark.spark


def test_all_settings_are_those_of_spark_whatever_they_hold(spark: SparkSession) -> None:
    values = (*nasty.PROPERTY_VALUES, "a -> b", "two\nlines", "")
    keys = [f"spark.free.nasty{number}" for number in range(len(values))]
    try:
        for key, value in zip(keys, values, strict=True):
            spark.conf.set(key, value)
        assert dict(SessionValues(spark)) == dict(spark.conf.getAll)
    finally:
        for key in keys:
            spark.conf.unset(key)
