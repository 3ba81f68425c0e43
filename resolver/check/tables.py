"""The tables that changes are judged for: by name, as they are, and as the changes so far leave them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import attrs

from deltaresolver.check.scratch import plain_table
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.planning.lake.lake import Lake, TablePlace
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.table import Table

PATH_PREFIX = "delta."


@attrs.frozen(slots=True, eq=False)
class Known:
    """A table by the name that a script gives it.

    state    as it is; None for one that is not there, or that nothing is known of
    is_known whether its location or its making is known
    error    why it could not be read
    """

    name: str
    place: TablePlace
    state: PlanState | None = None
    is_known: bool = False
    error: str | None = None


@attrs.define(eq=False)
class KnownTables:
    """Finds tables, and remembers how changes left them. `named` are names with locations from the command line."""

    catalog: FeatureCatalog
    lake: Lake
    named: Mapping[str, str] = attrs.field(factory=dict)
    storage: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    _states: dict[str, Known] = attrs.field(factory=dict, init=False)

    def find(self, name: str, location: str | None = None) -> Known:
        """The table of this name, or at this location."""
        where = location or self._location(name)
        key = (where or name).lower().rstrip("/")
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = self._read(name, where)
        return found

    def keep(self, known: Known, state: PlanState) -> None:
        """Remember what a change leaves."""
        kept = attrs.evolve(known, state=state, is_known=True, error=None)
        for key, one in self._states.items():
            if one is known:
                self._states[key] = kept

    def _location(self, name: str) -> str | None:
        if name.lower().startswith(PATH_PREFIX) and ("/" in name or "\\" in name):
            return name[len(PATH_PREFIX) :]
        wanted = name.lower()
        locations = {**{key.lower(): where for key, where in self.lake.tables}, **_lowered(self.named)}
        if wanted in locations:
            return locations[wanted]
        # A script may leave out the catalog and the schema, as long as one table alone can be meant.
        found = {where for key, where in locations.items() if key.endswith(f".{wanted}") or wanted.endswith(f".{key}")}
        return found.pop() if len(found) == 1 else None

    def _read(self, name: str, location: str | None) -> Known:
        if location is None:
            return Known(name, self.lake.place(name, name))
        place = self.lake.place(location if "://" in location else str(Path(location).absolute()), name)
        try:
            state = self._described(Path(location)) if location.endswith(".json") else self._opened(location)
        except (DeltaResolverError, OSError) as error:
            code = f"{error.code}: {error.message}" if isinstance(error, DeltaResolverError) else str(error)
            return Known(name, place, error=code)
        return Known(name, place, state, is_known=True)

    def _opened(self, location: str) -> PlanState | None:
        return state_of_table(Table(location, self.storage, catalog=self.catalog))

    def _described(self, file: Path) -> PlanState:
        """A table from a file with its metadata and, as a rule, its protocol."""
        from deltaresolver.check.sources.metadata_files import read_json  # noqa: PLC0415 - one way of several

        for one in read_json(file.name, file.read_text(encoding="utf-8")):
            metadata: Metadata | None = getattr(one, "metadata", None)
            protocol: Protocol | None = getattr(one, "protocol", None)
            if metadata is not None:
                found = plain_table(self.catalog, metadata)
                return found if protocol is None else attrs.evolve(found, protocol=protocol)
        raise OSError(f"{file} holds no metaData of a table")


def _lowered(named: Mapping[str, str]) -> dict[str, str]:
    return {key.lower(): where for key, where in named.items()}
