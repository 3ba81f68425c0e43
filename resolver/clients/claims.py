"""What the claims about a client mean for one demand."""

from __future__ import annotations

import attrs

from deltaresolver.clients.client import Client, FeatureClaim, SupportedReleases
from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.table_needs import READS, USES, WRITES, feature_of, final_name
from deltaresolver.clients.versions import ClientVersion
from deltaresolver.defaults import default_catalog
from deltaresolver.model.protocol import READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class Statement(Value):
    """The outcome that claims give for one demand, with the evidence and the reason.

    `source` is where the claim was read; empty where it rests on the sources of the client as a whole.
    """

    demand: str
    outcome: Outcome
    rank: Rank
    why: str
    source: str = ""


@attrs.frozen(slots=True)
class Claims(Value):
    """The claims about one client, for one act of one release."""

    client: Client
    version: ClientVersion
    act: Act
    _if_unused: frozenset[str] = attrs.field(init=False)
    """Features, by their final names, for which this client checks whether the table uses them."""

    def __attrs_post_init__(self) -> None:
        named = (
            final_name(claim.feature)
            for claim in self.client.features.values()
            if claim.read_if_unused is not None or claim.write_if_unused is not None
        )
        object.__setattr__(self, "_if_unused", frozenset(named))

    def on(self, demand: str, demands: frozenset[str]) -> Statement | None:
        """The statement on one demand of a table; None where the demand does not matter for this act."""
        kind, _, name = demand.partition(":")
        appends = self.act is Act.APPEND
        if kind == "reader":
            return self._reader_version(demand, int(name))
        if kind == "writer":
            return self._writer_version(demand, int(name)) if appends else None
        if f"{kind}:" == READS:
            return self._reads(demand, name, demands)
        if f"{kind}:" == WRITES:
            return self._writes(demand, name, demands) if appends else None
        if f"{kind}:" == USES and appends and not _is_listed(name, demands):
            return self._used_by_number(demand, name)
        return None

    def depends_on_table(self, demand: str) -> bool:
        """Whether the statement on a demand may differ from table to table."""
        kind, _, name = demand.partition(":")
        claim = self.client.features.get(name)
        if f"{kind}:" == USES:
            return self.act is Act.APPEND and claim is not None and claim.write is not None
        return claim is not None and (claim.read_if_unused is not None or claim.write_if_unused is not None)

    def look_at(self, demand: str) -> bool:
        """Whether a demand can change any statement: its own, or that on the feature it is about."""
        if self.on(demand, frozenset()) is not None:
            return True
        if demand.startswith((READS, WRITES)):
            return False
        return feature_of(demand) in self._if_unused

    # --- versions -------------------------------------------------------------------------------

    def _reader_version(self, demand: str, number: int) -> Statement | None:
        if number >= READER_VERSION_WITH_FEATURE_LIST:
            return self._lists(demand, self.client.reader_lists_since)
        highest = self.client.highest_numbered(self.version)[0]
        return self._numbered(demand, number, highest)

    def _writer_version(self, demand: str, number: int) -> Statement | None:
        if number >= WRITER_VERSION_WITH_FEATURE_LIST:
            return self._lists(demand, self.client.writer_lists_since)
        highest = self.client.highest_numbered(self.version)[1]
        return self._numbered(demand, number, highest)

    def _lists(self, demand: str, since: ClientVersion | None) -> Statement | None:
        if since is None:
            return None
        return self._statement(demand, f"reads feature lists from {since}", accepted=since.key <= self.version.key)

    def _numbered(self, demand: str, number: int, highest: int | None) -> Statement | None:
        if highest is None:
            return None
        side = demand.partition(":")[0]
        return self._statement(demand, f"accepts {side} version {highest} at most", accepted=number <= highest)

    # --- features -------------------------------------------------------------------------------

    def _reads(self, demand: str, feature: str, demands: frozenset[str]) -> Statement:
        claim = self.client.features.get(feature)
        if claim is None or claim.read is None:
            return self._unclaimed(demand, feature)
        return self._listed(demand, claim, claim.read, claim.read_if_unused, demands)

    def _writes(self, demand: str, feature: str, demands: frozenset[str]) -> Statement:
        claim = self.client.features.get(feature)
        if claim is None or claim.write is None:
            return self._unclaimed(demand, feature)
        return self._listed(demand, claim, claim.write, claim.write_if_unused, demands)

    def _listed(
        self,
        demand: str,
        claim: FeatureClaim,
        support: SupportedReleases,
        unused: SupportedReleases | None,
        demands: frozenset[str],
    ) -> Statement:
        """A listed feature. Where a release accepts it only while unused, the demand for its use is what it refuses."""
        verb = "reads" if demand.startswith(READS) else "writes"
        if unused is None or not self._is_only_for_unused(support, unused):
            return self._claimed(demand, claim, support, verb)
        use = use_of(claim.feature, demands)
        return self._claimed(demand, claim, unused, verb) if use is None else self._claimed(use, claim, support, verb)

    def _used_by_number(self, demand: str, feature: str) -> Statement | None:
        """A feature in use under a legacy version: a client that cannot write it in use must refuse."""
        claim = self.client.features.get(feature)
        if claim is None or claim.write is None:
            return None
        return self._claimed(demand, claim, claim.write, "writes")

    def _is_only_for_unused(self, support: SupportedReleases, unused: SupportedReleases) -> bool:
        """Whether this release accepts the feature only while it is listed and not in use."""
        return unused.at(self.version) and not support.at(self.version)

    def _claimed(self, demand: str, claim: FeatureClaim, support: SupportedReleases, verb: str) -> Statement:
        outcome = Outcome.WORKS if support.at(self.version) else Outcome.REFUSES
        note = f" ({claim.note})" if claim.note else ""
        why = f"{_in_words(verb, claim.feature, support)}{note}"
        return Statement(demand, outcome, claim.rank(self.client.knowledge), why)

    def _unclaimed(self, demand: str, feature: str) -> Statement:
        if self.client.closed_list:
            return self._statement(demand, f"{feature} is not on its list", accepted=False)
        if self._is_implied(feature):
            why = f"a numbered writer version it accepts brings {feature}"
            return Statement(demand, Outcome.WORKS, Rank.INFERRED, why)
        why = f"nothing is established about {feature}"
        return Statement(demand, Outcome.UNKNOWN, self.client.knowledge, why)

    def _is_implied(self, feature: str) -> bool:
        """Whether a legacy version that the release accepts implies the feature."""
        known = default_catalog().find(feature)
        reader, writer = self.client.highest_numbered(self.version)
        if known is None or known.legacy is None or reader is None or writer is None:
            return False
        return known.legacy.reader_version <= reader and known.legacy.writer_version <= writer

    def _statement(self, demand: str, why: str, *, accepted: bool) -> Statement:
        return Statement(demand, Outcome.WORKS if accepted else Outcome.REFUSES, self.client.knowledge, why)


def _is_listed(feature: str, demands: frozenset[str]) -> bool:
    """Whether the table lists the feature for writers, by its final name or by that of a preview."""
    listed = (demand.removeprefix(WRITES) for demand in demands if demand.startswith(WRITES))
    return any(final_name(one) == feature for one in listed)


def _in_words(verb: str, feature: str, support: SupportedReleases) -> str:
    """`reads X from 2.3.0`, `does not write X`."""
    if support.never:
        return f"does not {verb.removesuffix('s')} {feature}"
    told = str(support)
    return f"{verb} {feature}" if told == "yes" else f"{verb} {feature} {told.removeprefix('yes ')}"


def use_of(feature: str, demands: frozenset[str]) -> str | None:
    """The demand that shows a feature in use, enabled or with traces; None where it is only listed."""
    plain = final_name(feature)
    if USES + plain in demands:
        return USES + plain
    others = (demand for demand in demands if not demand.startswith((READS, WRITES)))
    return min((demand for demand in others if feature_of(demand) == plain), default=None)
