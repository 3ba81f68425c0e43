"""Which releases are at work: this library, Python, PySpark, and the plugins that are installed."""

from __future__ import annotations

import platform
from collections.abc import Iterator

OWN = "deltaresolver"


def own_version() -> str:
    """The release of this library."""
    return _version_of(OWN) or "unknown, not installed"


def version_lines() -> Iterator[str]:
    """What `--version` prints. Imports nothing that it reports on."""
    yield f"{OWN} {own_version()}"
    yield f"python {platform.python_version()}"
    yield f"pyspark {_version_of('pyspark') or _version_of('pyspark-client') or 'not installed'}"
    yield f"plugins {', '.join(_plugins()) or 'none installed'}"


def _version_of(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _plugins() -> list[str]:
    """Packages other than this one that offer features, with their releases."""
    from deltaresolver.plugins.foreign_metadata import foreign_offers, version_of

    packages = {offer.package for offer in foreign_offers()}
    return sorted(f"{name} {version_of(name)}" for name in packages if name != OWN)
