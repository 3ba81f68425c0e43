"""DR78x: the data source and its streams."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


class SparkSourceError(DeltaResolverError):
    """A table cannot be read or written through format("deltaresolver")."""

    code = "DR780"


class SourceRuleUnsupportedError(SparkSourceError):
    """What the table demands of rows needs Spark SQL, which the tasks of this data source have not."""

    code = "DR781"


class DataFileUnreadableError(SparkSourceError):
    """A data file is there, but is not the Parquet file that the log says it is."""

    code = "DR782"


class StreamMetadataChangedError(SparkSourceError):
    """A stream met a commit that changes the table's metadata or protocol in a way that ends the stream."""

    code = "DR783"
    default_delta_class = "org.apache.spark.sql.delta.DeltaIllegalStateException"
    default_delta_condition = "DELTA_SCHEMA_CHANGED_WITH_VERSION"


class StreamRowsChangedError(SparkSourceError):
    """A stream that gives only new rows met a commit that deletes or rewrites rows."""

    code = "DR784"
    default_delta_class = "org.apache.spark.sql.delta.DeltaUnsupportedOperationException"
    default_delta_condition = "DELTA_SOURCE_TABLE_IGNORE_CHANGES"


class StreamOffsetInvalidError(SparkSourceError):
    """A stream cannot go on from where its checkpoint says it is."""

    code = "DR785"
    default_delta_class = "org.apache.spark.sql.delta.DeltaIllegalStateException"
    default_delta_condition = "DELTA_INVALID_SOURCE_OFFSET_FORMAT"


class SinkUnsupportedError(SparkSourceError):
    """What a stream asks of the sink cannot be done exactly once."""

    code = "DR786"


class SparkTooOldError(SparkSourceError):
    """What is asked for came to data sources with a newer Spark than the one at hand."""

    code = "DR787"


class DataSourceFailedError(SparkSourceError):
    """Something that nobody expected was raised inside the data source."""

    code = "DR726"
