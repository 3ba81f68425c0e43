"""One client: how it numbers its releases, and what documents and source code claim about each.

Values only. Measurements are in `measurements`; `verdicts` combines claims and measurements.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.versions import ClientVersion, VersionRange, VersionScheme, parse_version
from deltaresolver.errors import UnknownClientPathError
from deltaresolver.value import Printable, Value

ANY_VERSION = VersionRange()


@attrs.frozen(slots=True)
class SupportedReleases(Value):
    """The releases that support something. Support is not monotone: it may have a gap or an end.

    since    the first release known to support it; None means always, as far as is known
    until    the last release that does
    gap      releases between the two that do not
    never    no known release does
    """

    since: ClientVersion | None = None
    until: ClientVersion | None = None
    gap: VersionRange | None = None
    never: bool = False

    def at(self, version: ClientVersion) -> bool:
        """Whether this release supports it."""
        if self.never or (self.gap is not None and version in self.gap):
            return False
        if self.until is not None and self.until.key < version.key:
            return False
        if self.since is None or self.since.key <= version.key:
            return True
        # A gap that ends before `since` means that releases before the gap supported it too.
        return self.gap is not None and self.gap.first is not None and version.key < self.gap.first.key

    @property
    def is_monotone(self) -> bool:
        """Whether no later release supports less than an earlier one."""
        return self.until is None and self.gap is None

    def __str__(self) -> str:
        if self.never:
            return "no"
        text = "yes" if self.since is None else f"from {self.since}"
        if self.until is not None:
            text += f" until {self.until}"
        return text if self.gap is None else f"{text}, not {self.gap}"


@attrs.frozen(slots=True)
class FeatureClaim(Value):
    """The claims about one client and one table feature. None means that nothing is known."""

    feature: str
    read: SupportedReleases | None = None
    write: SupportedReleases | None = None
    read_if_unused: SupportedReleases | None = None
    write_if_unused: SupportedReleases | None = None
    legacy_write_if_unused: SupportedReleases | None = None
    note: str = ""
    derived: bool = False
    measured: bool = False

    def rank(self, knowledge: Rank) -> Rank:
        """How sure this claim is; `knowledge` is how sure the client's entry is as a whole."""
        return Rank.INFERRED if self.derived and not self.measured else knowledge

    @property
    def is_weak(self) -> bool:
        """Whether the claim is too uncertain to be shown as a fact."""
        return (self.derived and not self.measured) or self.read is None or self.write is None


@attrs.frozen(slots=True)
class LegacyLimits(Value):
    """The highest legacy versions accepted, from one release on."""

    since: ClientVersion
    reader: int
    writer: int


@attrs.frozen(slots=True)
class Gate(Value):
    """A statement about some releases: for a table with all of `demands`, an act has this outcome.

    Read in a client's source or documents. It is finer than a claim, because it may be about one path, one act,
    the legacy form, or a feature only while listed or only in use.
    """

    path: str
    acts: frozenset[Act]
    demands: frozenset[str]
    outcome: Outcome
    versions: VersionRange
    library: VersionRange = ANY_VERSION
    rank: Rank = Rank.SOURCE
    why: str = ""
    source: str = ""

    @property
    def holds_beside_any_library(self) -> bool:
        """Whether it holds for a release with every version of the library beside it."""
        return self.library is ANY_VERSION or self.library == ANY_VERSION  # nearly always the first, at once

    def holds(self, version: ClientVersion) -> bool:
        """Whether it is about this release."""
        if version not in self.versions:
            return False
        if self.holds_beside_any_library:
            return True
        return version.library is not None and version.library in self.library


@attrs.frozen(slots=True)
class Delegation(Value):
    """An act that a path leaves to another client: the library beside it, which has its own version.

    `target_act` may differ: a client that only asks the library which files to read needs it to open the table and
    no more. `demands` limits the delegation to some demands, such as a check against the library's list (`reads:*`):
    the library decides on these, except for those that a rule of the client itself is about.
    """

    path: str
    acts: frozenset[Act]
    client: str
    target_path: str
    target_act: Act | None = None
    versions: VersionRange = ANY_VERSION
    library: VersionRange = ANY_VERSION
    demands: frozenset[str] = frozenset()

    def holds(self, path: str, act: Act, version: ClientVersion) -> bool:
        """Whether this release leaves this act to the library on this path."""
        return (
            act in self.acts
            and self.path in ("", path)
            and version in self.versions
            and version.library is not None
            and version.library in self.library
        )


@attrs.frozen(slots=True, eq=False)
class Client(Printable):
    """One client. A plugin that brings a client returns one of these.

    paths            engines that reach the table differently, the preferred first; may be empty
    path_since       the first release in which a path is the default
    knowledge        how sure the entry as a whole is
    closed_list      the client checks a list, so it refuses every feature that is not named
    only_reads       it cannot append; `only_writes` likewise
    legacy           highest legacy versions by release, oldest first; the last holds for all later ones
    max_legacy       highest legacy reader and writer version where no history is known; None: not known
    lists_since      first release that reads feature lists (reader 3, writer 7); None: not known
    gates            finer statements, which win over claims; `reads:*` stands for every feature not named
    delegations      acts left to another client
    """

    id: str
    name: str
    kind: str = "library"
    scheme: VersionScheme = VersionScheme.SEMVER
    knowledge: Rank = Rank.DOCUMENTS
    paths: tuple[str, ...] = ()
    path_since: Mapping[str, ClientVersion] = attrs.field(factory=dict)
    features: Mapping[str, FeatureClaim] = attrs.field(factory=dict)
    closed_list: bool = False
    only_reads: bool = False
    only_writes: bool = False
    legacy: tuple[LegacyLimits, ...] = ()
    max_legacy_reader: int | None = None
    max_legacy_writer: int | None = None
    reader_lists_since: ClientVersion | None = None
    writer_lists_since: ClientVersion | None = None
    gates: tuple[Gate, ...] = ()
    delegations: tuple[Delegation, ...] = ()
    latest_seen: ClientVersion | None = None
    notes: str = ""
    sources: tuple[str, ...] = ()
    depends_on_library: bool = attrs.field(init=False)
    """Whether a release cannot be judged without the version of the library beside it."""

    @depends_on_library.default
    def _find_whether_it_does(self) -> bool:
        return not all(gate.holds_beside_any_library for gate in self.gates)

    @property
    def reads(self) -> bool | None:
        """Whether it reads tables at all; None where that is not known."""
        if self.only_writes:
            return False
        if self.legacy or self.max_legacy_reader or self.reader_lists_since is not None:
            return True
        return _does_any([claim.read for claim in self.features.values() if claim.read is not None])

    @property
    def writes(self) -> bool | None:
        """Whether it writes tables at all; None where that is not known."""
        if self.only_reads:
            return False
        if self.max_legacy_writer is not None and not self.legacy:
            return self.max_legacy_writer > 0
        if any(step.writer > 0 for step in self.legacy):
            return True
        return _does_any([claim.write for claim in self.features.values() if claim.write is not None])

    def highest_numbered(self, version: ClientVersion) -> tuple[int | None, int | None]:
        """The highest legacy reader and writer version that a release accepts; None where that is not known."""
        if not self.legacy:
            return self.max_legacy_reader, self.max_legacy_writer
        reader, writer = 1, 0
        for step in self.legacy:
            if step.since.key <= version.key:
                reader, writer = step.reader, step.writer
        return reader, writer

    def version(self, text: str) -> ClientVersion:
        """A release of this client. Raises `ClientVersionUnreadableError`."""
        return parse_version(text, self.scheme, self.id)

    def default_path(self, version: ClientVersion) -> str:
        """The path used when none is named: the first that this release prefers."""
        for path in self.paths:
            since = self.path_since.get(path)
            if since is None or since.key <= version.key:
                return path
        return self.paths[-1] if self.paths else ""

    def path(self, name: str | None, version: ClientVersion) -> str:
        """A path of this client, the default for None. Raises `UnknownClientPathError`."""
        if name is None:
            return self.default_path(version)
        if name in self.paths:
            return name
        named = f"its paths are {', '.join(self.paths)}" if self.paths else "it has one way to a table"
        raise UnknownClientPathError(
            f"{self.id} has no path {name!r}; {named}.",
            fix="Leave the path out, or name one of these." if self.paths else "Leave the path out.",
            details={"client": self.id, "path": name, "paths": list(self.paths)},
        )


def _does_any(claims: list[SupportedReleases]) -> bool | None:
    """True if any claim is that something works; None otherwise, since claims that things fail prove nothing."""
    return True if any(not claim.never for claim in claims) else None
