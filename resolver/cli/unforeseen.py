"""Turns exceptions of others into errors with a code and a fix."""

from __future__ import annotations

import errno

import click

from deltaresolver.cli.versions import own_version
from deltaresolver.errors import (
    DeltaResolverError,
    InputUnreadableError,
    OutputUnwritableError,
    PackageMissingError,
    UnexpectedError,
)

_EXTRAS = {
    "grpc": "connect",
    "jinja2": "report",
    "obstore": "cloud",
    "pandas": "spark",
    "py4j": "spark",
    "pyroaring": "spark",
    "pyspark": "spark",
    "starlette": "ui",
    "uvicorn": "ui",
    "yaml": "dbt",
}
"""Packages that come with an extra, by the name they are imported by."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_DENIED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_UNREADABLE = frozenset({errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})


def as_own(error: Exception) -> DeltaResolverError:
    """The error that is shown for any exception which reaches the command line."""
    if isinstance(error, DeltaResolverError):
        return error
    if isinstance(error, click.UsageError):
        from deltaresolver.cli.usage import of_the_usage

        return of_the_usage(error)
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        package = error.name.partition(".")[0]
        if package in _EXTRAS:
            return package_missing(package)
    if isinstance(error, OSError):
        return _of_the_system(error) or _unexpected(error)
    return _unexpected(error)


def package_missing(package: str) -> PackageMissingError:
    """The error for a package that an extra brings."""
    extra = _EXTRAS[package]
    return PackageMissingError(
        f"This needs the package {package}, which is not installed.",
        fix=f'Install the extra: pip install "deltaresolver[{extra}]".',
        details={"package": package, "extra": extra},
    )


def _of_the_system(error: OSError) -> DeltaResolverError | None:
    """What the operating system refused, where somebody can do something about it."""
    place = str(error.filename) if error.filename else "The output"
    details = {"path": str(error.filename or ""), "reason": error.strerror or str(error)}
    if error.errno in _FULL:
        return OutputUnwritableError(
            f"{place} cannot be written: {error.strerror}.",
            fix="Free some space, or write to another place.",
            details=details,
        )
    if error.errno in _DENIED:
        return InputUnreadableError(
            f"{place} cannot be used: {error.strerror}.",
            fix="Run this as a user who may read and write there, or give another path.",
            details=details,
        )
    if error.errno in _UNREADABLE and error.filename:
        return InputUnreadableError(
            f"{place} cannot be read: {error.strerror}.", fix="Check the path.", details=details
        )
    return None


def _unexpected(error: Exception) -> UnexpectedError:
    return UnexpectedError(
        f"{type(error).__name__}: {error}",
        fix="Run the same command with --traceback, and report what it prints.",
        details={"exception": type(error).__name__, "version": own_version()},
    )
