"""DR75x and DR76x: rows cannot be read through Spark."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


class SparkReadError(DeltaResolverError):
    """A table's rows cannot be read through Spark."""

    code = "DR750"


class ReadUnsupportedError(SparkReadError):
    """The table needs something of its readers that this library does not do; the message names who does."""

    code = "DR751"
    default_delta_class = "io.delta.exceptions.DeltaUnsupportedTableFeatureException"
    default_delta_condition = "DELTA_UNSUPPORTED_FEATURES_FOR_READ"


class DataFileMissingError(SparkReadError):
    """A data file that the log names is not there."""

    code = "DR752"
    default_delta_condition = "DELTA_FILE_NOT_FOUND_DETAILED"


class ReadOptionInvalidError(SparkReadError):
    """An option of a read is unknown, has no such value, or contradicts another."""

    code = "DR753"
    default_delta_class = "org.apache.spark.sql.delta.DeltaAnalysisException"


class FieldIdsNeededError(SparkReadError):
    """The columns of a data file are identified by their ids alone, which the session does not read."""

    code = "DR754"


class ChangeFeedUnavailableError(SparkReadError):
    """Changes are asked of table versions for which none were recorded."""

    code = "DR755"
    default_delta_class = "org.apache.spark.sql.delta.DeltaAnalysisException"
    default_delta_condition = "DELTA_MISSING_CHANGE_DATA"


class ChangeFeedRangeError(SparkReadError):
    """The range of table versions asked for is not a valid range."""

    code = "DR756"
    default_delta_class = "org.apache.spark.sql.delta.DeltaIllegalArgumentException"
    default_delta_condition = "DELTA_INVALID_CDC_RANGE"


class ChangeFeedSchemaError(SparkReadError):
    """Changes lie on both sides of a schema change that one result cannot hold."""

    code = "DR757"
    default_delta_class = "org.apache.spark.sql.delta.DeltaUnsupportedOperationException"
    default_delta_condition = "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE"


class ReadVersionsDifferError(SparkReadError):
    """Rows to be written to a table were read from it at more than one version."""

    code = "DR758"


class ReadTableGoneError(SparkReadError):
    """The table that rows were read from is no longer the one at its location."""

    code = "DR759"


class TransactionBlockError(SparkReadError):
    """`ds.transaction` does not allow this: nested, from another thread, after its end, or impossible inside it."""

    code = "DR760"


class HiddenDataFileError(SparkReadError):
    """Spark passes over a data file without a word, since its name is one of those it hides."""

    code = "DR763"
