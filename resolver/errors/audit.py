"""DR8xx: audits."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


class AuditError(DeltaResolverError):
    """An audit cannot be made, continued or read."""

    code = "DR800"


class AuditFileError(AuditError):
    """A file is not an audit, or not one of a known format."""

    code = "DR801"


class AuditResumeError(AuditError):
    """What an interrupted audit left belongs to an audit of something else, or to one that is being made now."""

    code = "DR802"


class ReportPackageMissingError(AuditError):
    """A package that only the report needs is not installed."""

    code = "DR803"


class AuditTableError(AuditError):
    """A place cannot take an audit as rows of a table."""

    code = "DR804"


class CatalogUnreadableError(AuditError):
    """A catalog cannot be searched for tables."""

    code = "DR805"


class SparkNotStartedError(AuditError):
    """No Spark session could be started: no Java, one that is too old, or settings that Spark refuses."""

    code = "DR806"


class TableTooSlowError(AuditError):
    """A table took more time than an audit gives to one, and was given up."""

    code = "DR810"


class TableTooLargeError(AuditError):
    """A table took more memory than an audit gives to one, or more of its document, and was given up."""

    code = "DR811"


class TableEndedProcessError(AuditError):
    """The process that read a table for an audit came to its end there."""

    code = "DR812"


class AuditCardError(DeltaResolverError):
    """An audit has no such card, or none that can be carried out."""

    code = "DR437"
