"""Clients from JSON or TOML shapes, checked as a whole: all problems are reported together."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

import attrs

from deltaresolver.clients.client import Client, Delegation, FeatureClaim, Gate, LegacyLimits, SupportedReleases
from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.fields import FieldReader
from deltaresolver.clients.table_needs import DETAILS
from deltaresolver.clients.versions import ClientVersion, VersionRange, VersionScheme, parse_version
from deltaresolver.errors import ClientCatalogueInvalidError, PlanningError

T = TypeVar("T")
_RANKS = {"source": Rank.SOURCE, "documents": Rank.DOCUMENTS, "inferred": Rank.INFERRED, "measured": Rank.MEASURED}
_DEMAND = re.compile(r"(reader|writer):([0-9]+|\*)|(reads|writes|uses):.+")
_ALMOST_THE_SAME = 0.85
_CLIENT_KEYS = {
    *("id", "name", "kind", "scheme", "knowledge", "paths", "path_since", "features", "closed_list", "only_reads"),
    *("only_writes", "legacy_history", "max_legacy_reader", "max_legacy_writer", "table_features_since", "gates"),
    *("delegates", "latest_seen", "notes", "sources"),
}
_CLAIM_KEYS = {
    *("read", "write", "read_if_unused", "write_if_unused", "legacy_write_if_unused", "read_until", "write_until"),
    *("read_gap", "write_gap", "note", "derived", "measured"),
}
_SCOPE_KEYS = {"path", "acts", "from", "until", "library_from", "library_until"}
_GATE_KEYS = _SCOPE_KEYS | {"demands", "outcome", "rank", "why", "source"}
_DELEGATION_KEYS = _SCOPE_KEYS | {"client", "target_path", "target_act", "demands"}


def parse_clients(
    values: Iterable[Any], origin: str, *, features: Collection[str] = (), earlier: Iterable[str] = ()
) -> tuple[Client, ...]:
    """Clients from their data. Raises `ClientCatalogueInvalidError` listing every problem found.

    `origin` names where the data is from, for the message. A feature that looks like a misspelling of one of
    `features` is a problem; any other unknown one is taken as it is. `earlier` are problems found before.
    """
    problems = list(earlier)
    clients: dict[str, Client] = {}
    for position, value in enumerate(values):
        name = value.get("id") if isinstance(value, Mapping) else None
        if not isinstance(name, str) or not name or "@" in name or "/" in name:
            problems.append(f"entry {position + 1}: id must be a name without '@' and '/', found {name!r}")
            continue
        if name in clients:
            problems.append(f"{name}: listed twice")
        clients[name] = _Reader(value, name, problems, features).client()
    if problems:
        raise ClientCatalogueInvalidError(
            f"{origin} has {len(problems)} mistake{'s' if len(problems) > 1 else ''}: {'; '.join(problems)}.",
            fix="Correct these entries; docs/clients-toml.md describes what each may hold.",
            details={"origin": origin, "problems": problems},
        )
    return tuple(clients.values())


@attrs.define
class _Reader:
    """Reads one client, and notes problems instead of stopping at the first."""

    value: Mapping[str, Any]
    name: str
    problems: list[str]
    known_features: Collection[str] = ()
    scheme: VersionScheme = VersionScheme.SEMVER

    def client(self) -> Client:
        value = self.value
        self.known_keys(value, _CLIENT_KEYS, "")
        self.scheme = self.choice("scheme", VersionScheme, VersionScheme.SEMVER)
        lists = self.fields.table(value, "table_features_since", "")
        return Client(
            id=self.name,
            name=self.text("name", self.name),
            kind=self.text("kind", "library"),
            scheme=self.scheme,
            knowledge=self.rank(value.get("knowledge", "documents")),
            paths=self.fields.texts(value, "paths", ""),
            path_since=self.path_since(),
            features=self.claims(),
            closed_list=self.fields.flag(value, "closed_list", ""),
            only_reads=self.fields.flag(value, "only_reads", ""),
            only_writes=self.fields.flag(value, "only_writes", ""),
            legacy=self.legacy(),
            max_legacy_reader=self.fields.whole(value, "max_legacy_reader", ""),
            max_legacy_writer=self.fields.whole(value, "max_legacy_writer", ""),
            reader_lists_since=self.version(lists.get("reader"), "table_features_since.reader"),
            writer_lists_since=self.version(lists.get("writer"), "table_features_since.writer"),
            gates=tuple(
                self.gate(gate, f"gate {position}") for position, gate in self.fields.tables(value, "gates", "gate")
            ),
            delegations=self.delegations(),
            latest_seen=self.version(value.get("latest_seen"), "latest_seen"),
            notes=self.text("notes", ""),
            sources=self.fields.texts(value, "sources", ""),
        )

    @property
    def fields(self) -> FieldReader:
        """Reads fields of plain kinds, and notes problems here."""
        return FieldReader(self.problem)

    def problem(self, where: str, text: str) -> None:
        """Note a problem, and where in the client it is."""
        self.problems.append(f"{self.name}{' ' + where if where else ''}: {text}")

    def known_keys(self, value: Mapping[str, Any], known: set[str], where: str) -> None:
        """Note unknown keys, each with the closest known one."""
        for key in sorted(value.keys() - known, key=str):
            longer = sorted(name for name in known if name.startswith(str(key)))
            near = longer or difflib.get_close_matches(str(key), known, n=1)
            self.problem(where, f"unknown key {key!r}{f' (did you mean {near[0]!r}?)' if near else ''}")

    def text(self, key: str, default: str) -> str:
        found = self.value.get(key, default)
        if isinstance(found, str):
            return found
        self.problem(key, f"must be text, found {found!r}")
        return default

    def choice(self, key: str, kind: Callable[[str], T], default: T) -> T:
        """A value of an enumeration; the default where there is none or an unknown one."""
        found = self.value.get(key)
        if found is None:
            return default
        try:
            return kind(found)
        except ValueError:
            self.problem(key, f"{found!r} is not one that exists")
            return default

    def rank(self, found: Any) -> Rank:
        """How sure something is; the least sure rank where the word is unknown."""
        if isinstance(found, str) and found in _RANKS:
            return _RANKS[found]
        self.problem("knowledge", f"must be one of {', '.join(_RANKS)}, found {found!r}")
        return Rank.INFERRED

    def version(self, text: Any, where: str) -> ClientVersion | None:
        """A release in the client's version scheme; None where it is missing or cannot be read."""
        if text is None:
            return None
        if not isinstance(text, str):
            self.problem(where, f"must be a version in quotes, found {text!r}")
            return None
        try:
            return parse_version(text, self.scheme, self.name)
        except PlanningError as error:
            self.problem(where, error.message)
            return None

    def range(self, first: Any, last: Any, where: str) -> VersionRange:
        """The releases from `first` to `last`; notes a range in the wrong order."""
        found = VersionRange(self.version(first, where), self.version(last, where))
        if found.first is not None and found.last is not None and found.last.key < found.first.key:
            self.problem(where, f"{found.first} comes after {found.last}")
        return found

    def path_since(self) -> dict[str, ClientVersion]:
        """For each path, the first release in which it is the default."""
        found = {}
        for path, text in self.fields.table(self.value, "path_since", "").items():
            version = self.version(text, f"path_since.{path}")
            if version is not None:
                found[path] = version
        return found

    def claims(self) -> dict[str, FeatureClaim]:
        features = self.fields.table(self.value, "features", "")
        for feature in sorted(features.keys() - set(self.known_features)) if self.known_features else ():
            near = difflib.get_close_matches(feature, self.known_features, n=1, cutoff=_ALMOST_THE_SAME)
            if near:
                self.problem(feature, f"there is no feature of this name; did you mean {near[0]}?")
        return {feature: self.claim(feature, claim) for feature, claim in features.items()}

    def claim(self, feature: str, claim: Any) -> FeatureClaim:
        """The claim about one feature; an empty claim where the value is not a table."""
        if not isinstance(claim, Mapping):
            self.problem(feature, f"must be a table of claims, found {claim!r}")
            return FeatureClaim(feature)
        self.known_keys(claim, _CLAIM_KEYS, feature)
        return FeatureClaim(
            feature,
            read=self.support(claim, "read", feature),
            write=self.support(claim, "write", feature),
            read_if_unused=self.support(claim, "read_if_unused", feature),
            write_if_unused=self.support(claim, "write_if_unused", feature),
            legacy_write_if_unused=self.support(claim, "legacy_write_if_unused", feature),
            note=str(claim.get("note", "")),
            derived=self.fields.flag(claim, "derived", feature),
            measured=self.fields.flag(claim, "measured", feature),
        )

    def support(self, claim: Mapping[str, Any], side: str, feature: str) -> SupportedReleases | None:
        """The releases that support reading or writing, as `side` says; None where nothing is claimed."""
        found = claim.get(side)
        where = f"{feature}.{side}"
        if found is None:
            return None
        if found is False:
            return SupportedReleases(never=True)
        gap = claim.get(f"{side}_gap")
        bounds = gap.split("..") if isinstance(gap, str) else None
        if gap is not None and (bounds is None or len(bounds) != 2):
            self.problem(where, f"gap must be written FIRST..LAST, found {gap!r}")
            bounds = None
        return SupportedReleases(
            since=None if found is True else self.version(found, where),
            until=self.version(claim.get(f"{side}_until"), where),
            gap=self.range(bounds[0], bounds[1], where) if bounds else None,
        )

    def legacy(self) -> tuple[LegacyLimits, ...]:
        """The highest legacy versions accepted, each with its first release, oldest first."""
        found = []
        for _, step in self.fields.tables(self.value, "legacy_history", "legacy_history step"):
            since = self.version(step.get("from"), "legacy_history")
            limits = [self.fields.whole(step, side, "legacy_history") or 0 for side in ("reader", "writer")]
            if since is None:
                self.problem("legacy_history", "each step needs from, the first release it is about")
            else:
                found.append(LegacyLimits(since, *limits))
        keys = [step.since.key for step in found]
        if keys != sorted(keys):
            self.problem("legacy_history", "is not in order")
        return tuple(found)

    def gate(self, gate: Mapping[str, Any], where: str) -> Gate:
        """One gate: demands of a table, and the outcome of an act on it."""
        self.known_keys(gate, _GATE_KEYS, where)
        outcome, outcomes = gate.get("outcome"), {one.value: one for one in Outcome}
        if not isinstance(outcome, str) or outcome not in outcomes:
            self.problem(where, f"outcome must be one of {', '.join(outcomes)}, found {outcome!r}")
        return Gate(
            path=str(gate.get("path", "")),
            acts=self.acts(gate, where),
            demands=self.demands(gate, where),
            outcome=outcomes.get(str(outcome), Outcome.UNKNOWN),
            versions=self.range(gate.get("from"), gate.get("until"), where),
            library=self.library_range(gate, where),
            rank=self.rank(gate.get("rank", "source")),
            why=str(gate.get("why", "")),
            source=str(gate.get("source", "")),
        )

    def library_range(self, value: Mapping[str, Any], where: str) -> VersionRange:
        """Releases of the library beside the client, which are semantic versions."""
        own, self.scheme = self.scheme, VersionScheme.SEMVER
        try:
            return self.range(value.get("library_from"), value.get("library_until"), where)
        finally:
            self.scheme = own

    def demands(self, gate: Mapping[str, Any], where: str) -> frozenset[str]:
        """The demands that a gate is about; words that are no demands are noted."""
        demands = self.fields.texts(gate, "demands", where)
        for demand in demands:
            if demand not in DETAILS and not _DEMAND.fullmatch(demand):
                near = difflib.get_close_matches(demand, DETAILS, n=1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                self.problem(where, f"no table demands {demand!r}{hint}")
        return frozenset(demands)

    def acts(self, value: Mapping[str, Any], where: str) -> frozenset[Act]:
        known = {act.value: act for act in Act}
        texts = self.fields.texts(value, "acts", where)
        if not texts or not known.keys() >= set(texts):
            self.problem(where, f"acts must name some of {', '.join(known)}, found {list(texts)!r}")
        return frozenset(known[text] for text in texts if text in known)

    def delegations(self) -> tuple[Delegation, ...]:
        """The acts that the client leaves to another one."""
        return tuple(
            self.delegation(value, f"delegation {position}")
            for position, value in self.fields.tables(self.value, "delegates", "delegation")
        )

    def delegation(self, value: Mapping[str, Any], where: str) -> Delegation:
        self.known_keys(value, _DELEGATION_KEYS, where)
        target_act = value.get("target_act")
        if target_act is not None and target_act not in [act.value for act in Act]:
            self.problem(where, f"{target_act!r} is not an act")
            target_act = None
        return Delegation(
            path=str(value.get("path", "")),
            acts=self.acts(value, where),
            client=str(value.get("client", "")),
            target_path=str(value.get("target_path", "")),
            target_act=None if target_act is None else Act(target_act),
            versions=self.range(value.get("from"), value.get("until"), where),
            library=self.library_range(value, where),
            demands=self.demands(value, where),
        )
