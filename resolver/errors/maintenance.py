"""DR74x: upkeep of a table (VACUUM, RESTORE, OPTIMIZE, ...) is refused; the table is as it was."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


class MaintenanceError(DeltaResolverError):
    """Upkeep of a table is refused; the table is as it was."""

    code = "DR740"


class VacuumRetentionTooShortError(MaintenanceError, ValueError):
    """VACUUM would delete files that readers and writers may still be using."""

    code = "DR741"
    default_delta_class = "DeltaIllegalArgumentException"
    default_delta_condition = "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"


class LiteVacuumUnavailableError(MaintenanceError):
    """VACUUM LITE would miss files, because the commits that removed them are gone from the log."""

    code = "DR742"
    default_delta_class = "DeltaIllegalStateException"
    default_delta_condition = "DELTA_CANNOT_VACUUM_LITE"


class RestoreFilesMissingError(MaintenanceError):
    """Data files of the version to restore were deleted."""

    code = "DR743"
    default_delta_class = "IllegalArgumentException"


class RestoreVersionError(MaintenanceError, ValueError):
    """A table is not restored to a version that it does not have yet."""

    code = "DR744"
    default_delta_class = "DeltaAnalysisException"


class MaintenanceUnsupportedError(MaintenanceError, NotImplementedError):
    """A call of delta.tables that this library does not have; its fix names what to use."""

    code = "DR745"


class OptimizePredicateError(MaintenanceError, ValueError):
    """OPTIMIZE is restricted by something else than partition columns."""

    code = "DR746"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_NON_PARTITION_COLUMN_REFERENCE"


class TableDeclarationError(MaintenanceError, ValueError):
    """A table that is being declared by a builder lacks something, or has it twice."""

    code = "DR747"
    default_delta_class = "DeltaAnalysisException"


class ZOrderColumnError(MaintenanceError, ValueError):
    """OPTIMIZE cannot order rows by a column that was named."""

    code = "DR748"
    default_delta_class = "DeltaAnalysisException"


class ClusteredOptimizeError(MaintenanceError, ValueError):
    """OPTIMIZE of a clustered table was asked for what only other tables have, or the other way round."""

    code = "DR749"
