"""What a stranger may install, and on what: each case is an environment of its own with nothing but the wheel."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = ("spark", "connect", "cloud", "report", "ui", "dbt", "glue")
SPARKS = ("4.0", "4.1", "4.2", "4.3")
CLIENTS = ("4.1", "4.2")
"""Minor releases of `pyspark-client`, which is Spark Connect without Spark."""
NEWEST = SPARKS[-1]


@attrs.frozen
class Case:
    """One environment and what is tried in it."""

    name: str
    python: str = PYTHONS[0]
    extras: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    """Requirements beside the wheel."""
    installer: str = "uv"
    archive: str = "whl"
    """Which of the two that are published: the wheel, or the source archive."""
    lowest: bool = False
    """Whether each dependency is the oldest that pyproject.toml allows."""
    checks: tuple[str, ...] = ("commands",)
    server: str = ""
    """The case whose environment holds the Spark server that this one talks to."""


def all_cases() -> Iterator[Case]:
    """All cases, the quick ones first; a case that others need stands before them."""
    for version in PYTHONS:
        yield Case(f"python {version} by uv", version, ("report",), checks=("commands", "pages"))
        yield Case(f"python {version} by pip", version, installer="pip")
    yield Case("source archive", archive="gz")
    yield Case(
        "lowest dependencies",
        extras=("cloud", "report", "ui", "dbt", "glue"),
        lowest=True,
        checks=("commands", "pages"),
    )
    for extra in EXTRAS:
        reads_and_writes = ("classic",) if extra == "spark" else ()
        yield Case(f"extra {extra} alone", extras=(extra,), checks=("commands", f"extra {extra}", *reads_and_writes))
    yield Case("steps of the image", "3.13", also=("pip", "setuptools>=77"), checks=("image",))
    yield Case("steps of the conda recipe", also=("pip", "setuptools>=77"), checks=("recipe",))
    for minor in SPARKS:
        checks = ("classic", "connect", "spark pages") if minor in (SPARKS[0], NEWEST) else ("classic", "connect")
        yield Case(f"pyspark {minor}", extras=("connect",), also=(f"pyspark=={minor}.*",), checks=checks)
    for minor in CLIENTS:
        also = (f"pyspark-client=={minor}.*", "pyroaring", "pandas<3")
        yield Case(f"pyspark-client {minor}", also=also, checks=("client",), server=f"pyspark {minor}")
