"""DR71x to DR73x: rows cannot be written with Spark."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


class DataWriteError(DeltaResolverError):
    """Rows cannot be written to the table."""

    code = "DR710"


class WriteOptionError(DataWriteError):
    """An option of a write that is unknown, unreadable or does not go with another."""

    code = "DR711"
    default_delta_class = "DeltaIllegalArgumentException"
    default_delta_condition = "DELTA_ILLEGAL_OPTION"


class WriteSchemaMismatchError(DataWriteError):
    """The columns of the rows do not fit those of the table."""

    code = "DR712"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_METADATA_MISMATCH"


class RowViolationError(DataWriteError):
    """A row breaks a rule of the table."""

    code = "DR713"
    default_delta_class = "DeltaInvariantViolationException"
    default_delta_condition = "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"


class ReplaceWhereMismatchError(DataWriteError):
    """A row is not among those that `replaceWhere` says are replaced."""

    code = "DR714"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_REPLACE_WHERE_MISMATCH"


class WriteJobFailedError(DataWriteError):
    """Spark could not write the data files; the table is as it was."""

    code = "DR715"


class ColumnNotWritableError(DataWriteError):
    """A value is given for a column whose values the table makes itself."""

    code = "DR716"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"


class RewriteMismatchError(DataWriteError):
    """Files that are written again would not hold the rows they had; the table is as it was."""

    code = "DR717"


class AssignmentInvalidError(DataWriteError):
    """SET or VALUES names something that is not a column of the table, or one column twice."""

    code = "DR718"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_MISSING_SET_COLUMN"


class ValueNotAssignableError(DataWriteError):
    """A value has fields or a kind of type that the column it is assigned to does not have."""

    code = "DR719"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION"


class MergeClauseError(DataWriteError):
    """The clauses of a MERGE do not go together."""

    code = "DR720"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_MERGE_MISSING_WHEN"


class MergeAmbiguousError(DataWriteError):
    """Several rows of a MERGE's source match one row of the table."""

    code = "DR721"
    default_delta_class = "DeltaUnsupportedOperationException"
    default_delta_condition = "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"


class RowsUnaccountedError(DataWriteError):
    """The rows of a write or a change do not add up, so it was not committed; the table is as it was."""

    code = "DR725"


class ArgumentInvalidError(DataWriteError, ValueError):
    """An argument of a method of DeltaTable is missing, or has a value that the method cannot use."""

    code = "DR730"


class ArgumentTypeError(DataWriteError, TypeError):
    """An argument of a method of DeltaTable is of another type than the method takes."""

    code = "DR731"


class PartitionReadingError(DataWriteError):
    """Spark and this library read a condition differently for some partition; the table is as it was."""

    code = "DR762"


class TableExpressionRefusedError(DataWriteError):
    """An expression that the table keeps calls or reads what no table may have a writer call or read."""

    code = "DR761"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_UNSUPPORTED_EXPRESSION"
