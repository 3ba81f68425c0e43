"""Verdicts: whether a release of a client will open, read or append to a table, with the evidence."""

from __future__ import annotations

import attrs

from deltaresolver.clients.catalogue import ClientAtVersion, ClientCatalogue
from deltaresolver.clients.claims import Statement
from deltaresolver.clients.client import Delegation
from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.inquiry import Inquiry
from deltaresolver.clients.measured.measurements import Measurements
from deltaresolver.clients.said import Said
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.versions import ClientVersion
from deltaresolver.value import Printable


@attrs.define(eq=False)
class ClientKnowledge(Printable):
    """The catalogue and the measurements together, and every verdict given so far."""

    catalogue: ClientCatalogue
    measurements: Measurements = attrs.field(factory=Measurements)
    releases_known: dict[tuple[str, str], tuple[ClientVersion, ...]] = attrs.field(factory=dict, init=False)
    _inquiries: dict[tuple[str, object, str, str], Inquiry] = attrs.field(factory=dict, init=False)
    _said: dict[tuple[str, object, str, str], Said] = attrs.field(factory=dict, init=False)

    def verdict(self, client: str | ClientAtVersion, needs: TableNeeds, act: Act) -> Verdict:
        """The verdict on one act. Raises what `ClientCatalogue.parse` raises when `client` is a text."""
        release = self.catalogue.parse(client) if isinstance(client, str) else client
        return self.inquiry(release, act).verdict(needs.demands)

    def verdicts(self, client: str | ClientAtVersion, needs: TableNeeds) -> dict[Act, Verdict]:
        """The verdict on each act."""
        return {act: self.verdict(client, needs, act) for act in Act}

    def inquiry(self, release: ClientAtVersion, act: Act) -> Inquiry:
        """The verdicts on one act of one release, for many tables."""
        key = (release.client.id, release.version, release.path, act.value)
        found = self._inquiries.get(key)
        if found is None:
            whole = self._with_usual_library(release)
            found = self._inquiries[key] = Inquiry(
                whole, act, self.measurements, self._said_of, self._opening(release, act)
            )
        return found

    def _said_of(self, release: ClientAtVersion, act: Act) -> Said:
        """The claims about one act of one release."""
        key = (release.client.id, release.version, release.path, act.value)
        found = self._said.get(key)
        if found is None:
            found = self._said[key] = Said(release, act, self._handed_over)
        return found

    def _opening(self, release: ClientAtVersion, act: Act) -> Inquiry | None:
        """The inquiry into opening, which comes before this act; None for opening, and for clients that only write."""
        if act is Act.OPEN or release.client.reads is False:
            return None
        return self.inquiry(release, Act.OPEN)

    def _with_usual_library(self, release: ClientAtVersion) -> ClientAtVersion:
        """The release with the library it was measured with, where a library counts and none was named."""
        if release.version.library is not None or not release.client.depends_on_library:
            return release
        measured = self.measurements.releases.get((release.client.id, release.path), ())
        no_later = [one.version for one in measured if one.version.key <= release.version.key]
        if not no_later or no_later[-1].library is None:
            return release
        library = no_later[-1].library
        version = attrs.evolve(release.version, text=f"{release.version} ({library})", library=library)
        return attrs.evolve(release, version=version)

    def _handed_over(
        self, release: ClientAtVersion, act: Act, delegation: Delegation, demands: frozenset[str]
    ) -> Statement | None:
        """The statement of the library beside the client on the demands that the client leaves to it."""
        library = release.version.library
        if library is None:
            return None
        target = self.catalogue.get(delegation.client)
        other = ClientAtVersion(target, library, target.path(delegation.target_path or None, library))
        verdict = self.inquiry(other, delegation.target_act or act).verdict(demands)
        if verdict.outcome is Outcome.UNKNOWN:
            return None
        named = str(library) if " " in str(library) else f"{target.id} {library}"
        rank = min(verdict.evidence.rank, Rank.SOURCE)
        return Statement(verdict.demand or "", verdict.outcome, rank, f"{named} beside it: {verdict.reason}")
