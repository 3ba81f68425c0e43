"""Clusters of files: which files of a clustered table OPTIMIZE writes again, and how the log notes what it wrote.

Files that were clustered together share an id in their tags. Once they are large enough they stay as they are, so that
OPTIMIZE only works on what has come since.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import attrs

from deltaresolver.model.actions import AddFile
from deltaresolver.spark.maintenance.bins import GIBIBYTE, size_in_bytes

_PREFIX = "spark.databricks.delta.optimize.clustering.mergeStrategy.minCubeSize."
MIN_SIZE, TARGET_SIZE = _PREFIX + "threshold", _PREFIX + "targetCubeSize"
CUBE_ID, CUBE_COLUMNS = "ZCUBE_ID", "ZCUBE_ZORDER_BY"
PROVIDER = "liquid"
"""What delta-spark calls this way of clustering."""


@attrs.frozen(slots=True)
class FileCounts:
    """How many files, and their size together."""

    files: int = 0
    size: int = 0

    @classmethod
    def of(cls, files: Sequence[AddFile]) -> FileCounts:
        """Counted."""
        return cls(len(files), sum(file.size for file in files))


@attrs.frozen(slots=True)
class CubeSizes:
    """From which size on a cube is left alone, and up to which one is made."""

    min_size: int = 100 * GIBIBYTE
    target_size: int = 150 * GIBIBYTE

    @classmethod
    def of(cls, session: Mapping[str, str]) -> CubeSizes:
        """As the session sets it. Raises `PropertyInvalidError`."""
        smallest = session.get(MIN_SIZE)
        target = session.get(TARGET_SIZE)
        return cls(
            cls.min_size_default() if smallest is None else size_in_bytes(smallest, MIN_SIZE),
            150 * GIBIBYTE if target is None else size_in_bytes(target, TARGET_SIZE),
        )

    @staticmethod
    def min_size_default() -> int:
        """A hundred times the size of a file."""
        return 100 * GIBIBYTE


@attrs.frozen(slots=True)
class Cubes:
    """The files of a clustered table, as an OPTIMIZE by `columns` sees them; `is_full` for one of all files."""

    columns: Sequence[str]
    sizes: CubeSizes
    is_full: bool = False

    def chosen(self, files: Iterable[AddFile]) -> list[AddFile]:
        """The files to write again, those that were never clustered first.

        Left alone are cubes that are large enough, and files of other columns unless all are wanted. Nothing is chosen
        where one cube is all there is.
        """
        ordered = sorted(files, key=lambda file: _tag(file, CUBE_ID) or "")
        mine = [file for file in ordered if self._fits(file)]
        others = [file for file in ordered if not self._fits(file)]
        totals: Counter[str] = Counter()
        for file in mine:
            totals[_tag(file, CUBE_ID) or ""] += file.size
        small = [
            file for file in mine if not _is_clustered(file) or totals[_tag(file, CUBE_ID) or ""] < self.sizes.min_size
        ]
        if self.is_full and others:
            return [*small, *others]
        cubes = {_tag(file, CUBE_ID) if _is_clustered(file) else None for file in small}
        return [] if len(cubes) == 1 and None not in cubes else small

    def bins(self, files: Sequence[AddFile]) -> list[tuple[AddFile, ...]]:
        """Groups that make up a cube each."""
        limit = max(self.sizes.min_size, self.sizes.target_size)
        groups: list[tuple[AddFile, ...]] = []
        group: list[AddFile] = []
        size = 0
        for file in files:
            if group and size + file.size > limit:
                groups.append(tuple(group))
                group, size = [], 0
            group.append(file)
            size += file.size
        return [*groups, tuple(group)] if group else groups

    def tagged(self, files: Iterable[AddFile]) -> list[AddFile]:
        """The files of one new cube."""
        tags = {CUBE_ID: str(uuid.uuid4()), CUBE_COLUMNS: json.dumps(list(self.columns), separators=(",", ":"))}
        return [attrs.evolve(file, tags={**(file.tags or {}), **tags}, clustering_provider=PROVIDER) for file in files]

    def counts(self, files: Sequence[AddFile]) -> tuple[FileCounts, FileCounts, int]:
        """Files in cubes of these columns (with `is_full`, of any), other files, and how many cubes there are."""
        inside = [file for file in files if _is_clustered(file) and (self.is_full or self._has_columns(file))]
        names = {file.path for file in inside}
        outside = [file for file in files if file.path not in names]
        return FileCounts.of(inside), FileCounts.of(outside), len({_tag(file, CUBE_ID) for file in inside})

    def _fits(self, file: AddFile) -> bool:
        known = file.clustering_provider in (None, PROVIDER)
        return known and (not _is_clustered(file) or self._has_columns(file))

    def _has_columns(self, file: AddFile) -> bool:
        try:
            return bool(json.loads(_tag(file, CUBE_COLUMNS) or "null") == list(self.columns))
        except ValueError:
            return False


def _is_clustered(file: AddFile) -> bool:
    return _tag(file, CUBE_ID) is not None and _tag(file, CUBE_COLUMNS) is not None


def _tag(file: AddFile, key: str) -> str | None:
    return (file.tags or {}).get(key)
