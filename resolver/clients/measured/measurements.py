"""What real releases did with real tables, stored by the demands of the tables, not by their names."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from deltaresolver.clients.catalogue import ClientCatalogue
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.versions import ClientVersion
from deltaresolver.value import Printable

_CODES = {"o": Outcome.WORKS, "r": Outcome.REFUSES, "w": Outcome.SILENTLY_WRONG}


@attrs.frozen(slots=True, eq=False)
class MeasuredRelease(Printable):
    """One release on one path: for each act a text with one letter for each set of demands (`-` where not tried).

    `measured` is the day of the runs, `by` the person or program that made them.
    """

    version: ClientVersion
    codes: Mapping[Act, str]
    measured: str = ""
    by: str = ""
    order: Any = attrs.field(init=False)
    """The sort key of its version, stored because it is used very often."""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "order", self.version.order)

    def outcome(self, position: int, act: Act) -> Outcome | None:
        """The outcome for tables of these demands; None where it was not tried."""
        return _CODES.get(self.codes[act][position])


@attrs.frozen(slots=True, eq=False)
class Bracket(Printable):
    """The measured releases around one: the same release, the next below, the next above.

    Where a library beside the client counts, a release below has neither part newer, and one above neither part
    older; a side may then have several. `beside` has the nearest releases that are neither below nor above, for a
    side that is empty.
    """

    at: MeasuredRelease | None = None
    below: tuple[MeasuredRelease, ...] = ()
    above: tuple[MeasuredRelease, ...] = ()
    beside: tuple[MeasuredRelease, ...] = ()

    @property
    def is_closed(self) -> bool:
        """Whether there are measured releases on both sides."""
        return bool(self.below and self.above)

    @property
    def around(self) -> tuple[MeasuredRelease, ...]:
        """All of them."""
        return (*self.below, *self.beside, *self.above)


_Tried = tuple[Sequence[MeasuredRelease], Sequence[Any]]
_NEVER_TRIED: _Tried = (), ()
"""The value for a client without measurements."""


@attrs.frozen(slots=True, eq=False)
class Measurements(Printable):
    """Measured releases by client and path, in order, and the sets of demands that their letters are about."""

    demand_sets: tuple[frozenset[str], ...] = ()
    releases: Mapping[tuple[str, str], tuple[MeasuredRelease, ...]] = attrs.field(factory=dict)
    positions: Mapping[frozenset[str], int] = attrs.field(init=False)
    _subsets: dict[frozenset[str], tuple[int, ...]] = attrs.field(factory=dict, init=False)
    _supersets: dict[frozenset[str], tuple[int, ...]] = attrs.field(factory=dict, init=False)
    _tried: dict[tuple[str, str, int, Act], _Tried] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "positions", {demands: at for at, demands in enumerate(self.demand_sets)})

    @classmethod
    def from_json(cls, value: Mapping[str, Any], catalogue: ClientCatalogue) -> Measurements:
        """Measurements from their data. Raises `UnknownClientError`, `ClientVersionUnreadableError`."""
        found: dict[tuple[str, str], list[MeasuredRelease]] = {}
        for run in value["runs"]:
            client = catalogue.get(run["client"])
            version = client.version(run["version"])
            codes = {act: run[act.value] for act in Act}
            release = MeasuredRelease(version, codes, run.get("measured", ""), run.get("by", ""))
            found.setdefault((client.id, client.path(run["path"], version)), []).append(release)
        return cls(
            tuple(frozenset(demands) for demands in value["needs"]),
            {where: tuple(sorted(releases, key=lambda one: one.order)) for where, releases in found.items()},
        )

    def without(self, client: str, version: ClientVersion, path: str | None = None) -> Measurements:
        """These measurements without one release, to see whether the others predict it."""
        kept = {
            where: tuple(
                release
                for release in releases
                if where[0] != client or release.order != version.order or path not in (None, where[1])
            )
            for where, releases in self.releases.items()
        }
        return Measurements(self.demand_sets, kept)

    def without_demands(self, demands: frozenset[str]) -> Measurements:
        """These measurements without the tables of exactly these demands, to see whether the others predict them."""
        at = self.positions.get(demands)
        if at is None:
            return self
        kept = {
            where: tuple(
                attrs.evolve(one, codes={act: codes[:at] + codes[at + 1 :] for act, codes in one.codes.items()})
                for one in releases
            )
            for where, releases in self.releases.items()
        }
        return Measurements(self.demand_sets[:at] + self.demand_sets[at + 1 :], kept)

    def bracket(self, client: str, path: str, version: ClientVersion, position: int, act: Act) -> Bracket:
        """The releases around `version` that tried this act on these demands."""
        tried, orders = self._find_tried(client, path, position, act)
        here = bisect.bisect_left(orders, version.order)
        if here < len(tried) and orders[here] == version.order:
            return Bracket(tried[here])
        if version.library is None:
            return Bracket(None, tuple(tried[max(here - 1, 0) : here]), tuple(tried[here : here + 1]))
        below = [one for one in tried if one.version.is_no_later_than(version)]
        above = [one for one in tried if version.is_no_later_than(one.version)]
        beside = [one for one in tried[max(here - 1, 0) : here] if not below]
        beside += [one for one in tried[here : here + 1] if not above]
        return Bracket(None, tuple(_newest(below)), tuple(_oldest(above)), tuple(beside))

    def _find_tried(self, client: str, path: str, position: int, act: Act) -> _Tried:
        """The releases that tried this, and their places in order; kept, since all releases of a path ask for it."""
        key = (client, path, position, act)
        found = self._tried.get(key)
        if found is None:
            releases = self.releases.get((client, path))
            if releases is None:
                found = self._tried[key] = _NEVER_TRIED
            else:
                tried = [release for release in releases if release.codes[act][position] != "-"]
                found = self._tried[key] = tried, [release.order for release in tried]
        return found

    def subsets(self, demands: frozenset[str]) -> tuple[int, ...]:
        """Positions of the measured sets that demand no more than this."""
        found = self._subsets.get(demands)
        if found is None:
            found = tuple(at for at, measured in enumerate(self.demand_sets) if measured <= demands)
            self._subsets[demands] = found
        return found

    def supersets(self, demands: frozenset[str]) -> tuple[int, ...]:
        """Positions of the measured sets that demand all of this and more."""
        found = self._supersets.get(demands)
        if found is None:
            found = tuple(at for at, measured in enumerate(self.demand_sets) if measured > demands)
            self._supersets[demands] = found
        return found


def _newest(releases: Sequence[MeasuredRelease]) -> Iterator[MeasuredRelease]:
    """The releases for which no other one is later."""
    for one in releases:
        if not any(one is not other and one.version.is_no_later_than(other.version) for other in releases):
            yield one


def _oldest(releases: Sequence[MeasuredRelease]) -> Iterator[MeasuredRelease]:
    """The releases for which no other one is earlier."""
    for one in releases:
        if not any(one is not other and other.version.is_no_later_than(one.version) for other in releases):
            yield one
