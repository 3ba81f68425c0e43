"""What every error of this library carries: code, message, fix and details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from deltaresolver.errors.secrets import redacted, redacted_data

_CONDITIONS: Mapping[str, tuple[str, ...]] = {
    "DeltaAnalysisException": (
        "DELTA_CONVERT_NON_PARQUET_TABLE",
        "DELTA_FAILED_TO_MERGE_FIELDS",
        "DELTA_MISSING_PROVIDER_FOR_CONVERT",
        "DELTA_REPLACE_WHERE_WITH_FILTER_DATA_CHANGE_UNSET",
        "DELTA_TIMESTAMP_INVALID",
        "DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME",
        "DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME",
    ),
    "DeltaColumnMappingUnsupportedException": ("DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING",),
    "DeltaFileNotFoundException": ("DELTA_EMPTY_DIRECTORY",),
    "DeltaIllegalArgumentException": (
        "DELTA_ILLEGAL_OPTION",
        "DELTA_ONEOF_IN_TIMETRAVEL",
        "DELTA_REGEX_OPT_SYNTAX_ERROR",
        "DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE",
        "DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE",
        "DELTA_UNSUPPORTED_DEEP_CLONE",
        "DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST",
        "DELTA_ZORDERING_ON_PARTITION_COLUMN",
    ),
    "DeltaIllegalStateException": ("DELTA_INVALID_SOURCE_VERSION", "DELTA_UNSUPPORTED_NON_EMPTY_CLONE"),
    "DeltaIOException": ("DELTA_FAILED_READ_FILE_FOOTER",),
    "DeltaRuntimeException": ("DELTA_FAILED_CAST_PARTITION_VALUE",),
    "DeltaUnsupportedOperationException": (
        "DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
        "DELTA_OPTIMIZE_FULL_NOT_SUPPORTED",
        "DELTA_UNKNOWN_READ_LIMIT",
    ),
    "VersionNotFoundException": ("DELTA_VERSION_NOT_FOUND",),
}
CLASS_OF_CONDITION: Mapping[str, str] = {
    condition: name for name, conditions in _CONDITIONS.items() for condition in conditions
}
"""The classes of delta-spark's exceptions, for conditions of which several share an error of this library."""


class DeltaResolverError(Exception):
    """What happened (`message`), what to do (`fix`), and everything in both as data (`details`).

    `delta_class` and `delta_condition` name the exception delta-spark raises in the same situation;
    both default to what the class declares. Where one class covers several, a raise gives another condition, whose
    class `CLASS_OF_CONDITION` has, or both.
    `retryable` says whether the same call may succeed if repeated unchanged. Keys, signatures and tokens in texts are
    hidden, since errors end in logs and documents.
    """

    code: ClassVar[str] = "DR000"
    retryable: ClassVar[bool] = False
    default_delta_class: ClassVar[str | None] = None
    default_delta_condition: ClassVar[str | None] = None

    def __init__(
        self,
        message: str,
        *,
        fix: str = "",
        details: Mapping[str, Any] | None = None,
        delta_class: str | None = None,
        delta_condition: str | None = None,
    ) -> None:
        self.message = redacted(message)
        super().__init__(self.message)
        self.fix = redacted(fix)
        self.details: dict[str, Any] = redacted_data(dict(details or {}))
        of_condition = CLASS_OF_CONDITION.get(delta_condition) if delta_condition else None
        self.delta_class = delta_class or of_condition or self.default_delta_class
        self.delta_condition = delta_condition or self.default_delta_condition
        self._add_notes()

    def _add_notes(self) -> None:
        """Have Python print the fix and the code below the message, in a traceback and in a notebook."""
        if self.fix:
            self.add_note(f"fix: {self.fix}")
        condition = f" [{self.delta_condition}]" if self.delta_condition else ""
        self.add_note(f"code: {self.code}{condition}; read more: deltaresolver explain {self.code}")

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # Spark moves errors between processes; the default would lose every keyword argument.
        return _rebuild, (type(self), self.message, dict(self.__dict__))

    def to_json(self) -> dict[str, Any]:
        """The error as a JSON-safe dictionary, the shape every `--json` command prints."""
        return {
            "code": self.code,
            "error": type(self).__name__,
            "message": self.message,
            "fix": self.fix,
            "details": self.details,
            "delta_class": self.delta_class,
            "delta_condition": self.delta_condition,
            "retryable": self.retryable,
        }


def _rebuild(kind: type[DeltaResolverError], message: str, state: dict[str, Any]) -> DeltaResolverError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    error.__dict__.update(state)
    return error


class UnexpectedError(DeltaResolverError):
    """An exception from outside this tree reached the command line: a bug to report."""

    code = "DR999"
