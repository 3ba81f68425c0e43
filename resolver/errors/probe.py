"""DR63x: a client cannot be measured, or what was measured cannot be used."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


class ProbeError(DeltaResolverError):
    """A client cannot be measured here."""

    code = "DR630"


class ProbeClientUnknownError(ProbeError):
    """Nobody wrote down how to install and run this client."""

    code = "DR631"


class PackageIndexUnreachableError(ProbeError):
    """The packages of a client cannot be fetched: the index does not answer."""

    code = "DR632"
    retryable = True


class ReleaseNotInstallableError(ProbeError):
    """The index answers, and has no such release for this machine and Python."""

    code = "DR633"


class MeasurementsUnreadableError(ProbeError):
    """A file of measurements has mistakes; the message lists all of them."""

    code = "DR634"


class ProbeTableError(ProbeError):
    """A table cannot be used to measure a client: it is missing, or its own rows cannot be worked out."""

    code = "DR635"
