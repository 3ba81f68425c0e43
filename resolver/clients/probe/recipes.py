"""The installation and the program of each client that can be measured."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from deltaresolver.clients.catalogue import NEWEST, ClientAtVersion
from deltaresolver.errors import ProbeClientUnknownError


@attrs.frozen(slots=True)
class Recipe:
    """One client: the package that has its version, the packages beside it, and the module with its acts.

    `library` is the package whose version is written in brackets; `distribution` is the client's name on the index;
    `of_its_time` is what to install beside releases before the given one, where they do not declare it themselves.
    """

    distribution: str
    module: str
    beside: tuple[str, ...] = ()
    library: str | None = None
    of_its_time: tuple[tuple[tuple[int, int], tuple[str, ...]], ...] = ()

    def requirements(self, release: ClientAtVersion) -> tuple[str, ...]:
        """The requirements of a release, in pip's syntax."""
        version = release.version
        own = self.distribution if version == NEWEST else f"{self.distribution}=={_plain(version.text)}"
        beside = [] if self.library is None else [self._library(release)]
        deltalake = next((one for one in (own, *beside) if one.startswith("deltalake==")), "")
        arrow = _arrow_for(deltalake.removeprefix("deltalake=="))
        pinned = _before(version.text, self.of_its_time) or ()
        return tuple(dict.fromkeys((own, *beside, *pinned, *self.beside, *arrow)))

    def _library(self, release: ClientAtVersion) -> str:
        library = release.version.library
        return str(self.library) if library is None else f"{self.library}=={_plain(library.text.rpartition(' ')[2])}"


_SPARK = (((4, 1), ("pyspark<4.1",)), ((4, 2), ("pyspark<4.2",)), ((4, 5), ("pyspark<4.3",)))
"""The PySpark for each delta-spark: its own requirement allows newer ones, for which its JARs do not fit."""
RECIPES = {
    "delta-rs-python": Recipe("deltalake", "with_deltalake"),
    "polars": Recipe("polars", "with_polars", ("packaging",), library="deltalake"),
    "daft": Recipe("daft", "with_daft", library="deltalake"),
    "duckdb-delta": Recipe("duckdb-extension-delta", "with_duckdb", ("pytz",)),
    "delta-spark": Recipe("delta-spark", "with_spark", ("pyarrow",), of_its_time=_SPARK),
    "dask-deltatable": Recipe("dask-deltatable", "with_dask", ("dask[dataframe]", "distributed"), library="deltalake"),
}


def recipe_for(release: ClientAtVersion) -> Recipe:
    """The recipe of a client. Raises `ProbeClientUnknownError`."""
    recipe = RECIPES.get(release.client.id)
    if recipe is not None:
        return recipe
    raise ProbeClientUnknownError(
        f"{release.client.id} cannot be measured here: nothing is known of how to install and run it.",
        fix=f"Name one of {', '.join(sorted(RECIPES))}, or send measurements of your own; docs/probe.md has the form.",
        details={"client": release.client.id, "known": sorted(RECIPES)},
    )


def _plain(version: str) -> str:
    """The version without the part in brackets."""
    return version.partition("(")[0].strip()


_ARROW = (
    ((0, 13), ("pyarrow<13", "numpy<2")),
    ((0, 19), ("pyarrow==14.0.2", "numpy<2")),
    ((0, 26), ("pyarrow==17.0.0",)),
    ((2, 0), ("pyarrow==20.0.0",)),
)
"""The PyArrow of its time, for deltalake before the given release: newer ones have dropped what it calls.

Beside deltalake 1 it is one that does not know Parquet's VARIANT annotation, as in the runs that came with the package.
"""


def _arrow_for(deltalake: str) -> tuple[str, ...]:
    if not deltalake:
        return ("pyarrow",)
    return _before(deltalake, _ARROW) or ("pyarrow>=20",)


def _before(version: str, table: Sequence[tuple[tuple[int, int], tuple[str, ...]]]) -> tuple[str, ...] | None:
    """The value of the first line of `table` whose release is later than `version`; None if there is none."""
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is None:
        return None
    release = int(found[1]), int(found[2])
    return next((packages for before, packages in table if release < before), None)
