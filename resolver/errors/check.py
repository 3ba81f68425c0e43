"""DR43x: a check of a repository cannot be made."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


class CheckError(DeltaResolverError):
    """A check of a repository cannot be made."""

    code = "DR434"


class CheckFileError(CheckError):
    """A file that is to be checked cannot be read, or what is meant as metadata in it is none."""

    code = "DR435"


class CheckBaselineError(CheckError):
    """A file cannot be used as a baseline."""

    code = "DR436"
