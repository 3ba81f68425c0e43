"""Which releases are at work: this library, Python, PySpark, and the plugins that are installed."""

from __future__ import annotations

import platform
from collections.abc import Iterator

GROUP = "deltaresolver.features"
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
    from importlib.metadata import entry_points

    packages = {(one.dist.name, one.dist.version) for one in entry_points(group=GROUP) if one.dist is not None}
    return sorted(f"{name} {version}" for name, version in packages if name != OWN)
