"""Which releases are at work: this library, Python, PySpark, and the plugins that are installed."""

from __future__ import annotations

import platform
from collections.abc import Iterator

GROUP = "deltaresolver.features"
OWN = "deltaresolver"
MAX_TOLD = 200


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
    """Packages other than this one that offer features, with their releases; `deltaresolver plugins` tells more."""
    from importlib.metadata import distributions

    found = set()
    for one in distributions():
        try:
            offers = any(entry.group == GROUP for entry in one.entry_points)
            told = f"{one.name} {one.version}"
        except Exception:  # noqa: BLE001 - metadata of strangers may be torn in any way
            offers, told = True, ""
        if offers and not told.startswith(f"{OWN} "):
            found.add(told if told.isprintable() and 0 < len(told) <= MAX_TOLD else "a package with torn metadata")
    return sorted(found)
