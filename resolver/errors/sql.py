"""DR77x: a statement of SQL, a name of the catalog, or a setting that this library does not go along with."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


class SqlError(DeltaResolverError):
    """A statement of SQL about Delta tables is refused; no table was changed by it."""

    code = "DR770"


class SqlUnsupportedError(SqlError, NotImplementedError):
    """A statement, or a part of one, that is not carried out for Delta tables; its fix names what to use."""

    code = "DR771"


class SqlParameterError(SqlError, ValueError):
    """A parameter of a statement is missing, or has a value that cannot be written as a literal."""

    code = "DR772"


class InsertMismatchError(SqlError):
    """The rows of an INSERT do not have the columns that its table takes."""

    code = "DR773"
    default_delta_class = "AnalysisException"
    default_delta_condition = "DELTA_INSERT_COLUMN_ARITY_MISMATCH"


class TableNameError(SqlError):
    """A name of the catalog is free, taken, or no name of a Delta table, and the opposite is needed."""

    code = "DR774"
    default_delta_class = "AnalysisException"
    default_delta_condition = "DELTA_MISSING_DELTA_TABLE"


class CatalogDisagreesError(SqlError):
    """The catalog says of a table what its log does not say: plain Spark changed the one and not the other."""

    code = "DR775"
    default_delta_class = "AnalysisException"
    default_delta_condition = "DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY"


class SettingRefusedError(SqlError, ValueError):
    """A setting of Delta's has a value by which results would differ, and which is not followed here."""

    code = "DR776"


class SessionNotEnabledError(SqlError):
    """A session cannot be made to use this library for format("delta")."""

    code = "DR777"
