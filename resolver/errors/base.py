"""What every error of this library carries: code, message, fix and details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from deltaresolver.errors.secrets import redacted, redacted_data


class DeltaResolverError(Exception):
    """What happened (`message`), what to do (`fix`), and everything in both as data (`details`).

    `delta_class` and `delta_condition` name the exception delta-spark raises in the same situation;
    both default to what the class declares and may be given per raise where one class covers several.
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
        self.delta_class = delta_class or self.default_delta_class
        self.delta_condition = delta_condition or self.default_delta_condition

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
    """An exception that is none of this tree reached the command line: a mistake to report."""

    code = "DR999"
