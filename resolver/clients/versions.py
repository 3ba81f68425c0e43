"""Client versions, each read and compared by its client's own scheme.

A Trino release is a whole number, a Snowflake release a date, and a release of Polars says little without the version
of the deltalake package beside it. One order for all of them would be wrong for most.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable

import attrs

from deltaresolver.errors import ClientVersionUnreadableError
from deltaresolver.value import Value

SortKey = tuple[int, ...]
"""What versions of one scheme are compared by, from left to right."""


class VersionScheme(enum.Enum):
    """How a client numbers its releases."""

    SEMVER = "semver"
    INTEGER = "integer"
    RUNTIME = "runtime"
    DATE = "date"

    @property
    def example(self) -> str:
        """A version this scheme can read."""
        return _EXAMPLES[self]


_EXAMPLES = {
    VersionScheme.SEMVER: "1.6.3",
    VersionScheme.INTEGER: "468",
    VersionScheme.RUNTIME: "13.3",
    VersionScheme.DATE: "2026-03-02",
}
_RELEASED, _EARLY = 0, -1
_SEMVER = re.compile(
    r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.(\d+))?"
    r"(?:[-.]?(a|alpha|b|beta|dev|rc|preview)[-.]?(\d*)[-.\w]*|\+(\d+))?"
)
_RUNTIME = re.compile(r"(\d+)(?:\.(\d+|x))?(?:\s*LTS)?(?:-\S+)?", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
_COMPOSITE = re.compile(r"(?P<own>[^()]+?)\s*\((?P<library>[^()]+)\)")


@attrs.frozen(slots=True, cache_hash=True)
class ClientVersion:
    """One release: the text people write, and the key it is compared by.

    `library` is the version of a library beside the client that decides part of what it can do,
    as in `1.40.1 (deltalake 1.4.2)`; None when the text named none.
    """

    text: str
    key: SortKey = attrs.field(repr=False)
    library: ClientVersion | None = None

    def __lt__(self, other: ClientVersion) -> bool:
        return self.order < other.order

    def __le__(self, other: ClientVersion) -> bool:
        return self.order <= other.order

    def is_no_later_than(self, other: ClientVersion) -> bool:
        """Whether neither this version nor its library is newer than the other's. It may be false both ways round.

        A newer client beside an older library is neither earlier nor later than an older client beside a newer one.
        """
        mine, its = self.library, other.library
        return self.key <= other.key and (mine is None or its is None or mine.key <= its.key)

    @property
    def order(self) -> tuple[SortKey, SortKey]:
        """The sort key for lists: own version first, then the library's; no library sorts first."""
        return self.key, self.library.key if self.library is not None else ()

    def __str__(self) -> str:
        return self.text


def _meant(text: str, scheme: VersionScheme) -> str:
    """A sentence about how to write a version; tags of repositories begin with a `v`."""
    is_tag = text[:1] in ("v", "V") and _PARSERS[scheme](text[1:]) is not None
    return f"Write {text[1:]!r}." if is_tag else f"Write the version like {scheme.example!r}."


def parse_version(text: str, scheme: VersionScheme, client: str = "") -> ClientVersion:
    """The version in a text. Raises `ClientVersionUnreadableError`, which names the scheme."""
    stripped = text.strip()
    composite = _COMPOSITE.fullmatch(stripped)
    own = composite["own"] if composite else stripped
    key = _PARSERS[scheme](own)
    if key is None:
        raise ClientVersionUnreadableError(
            f"{text!r} is not a version of {client or 'this client'}, whose releases are numbered by the "
            f"{scheme.value} scheme.",
            fix=_meant(own, scheme),
            details={"version": text, "client": client, "scheme": scheme.value, "example": scheme.example},
        )
    library = _library(composite["library"], client) if composite else None
    return ClientVersion(stripped, key, library)


def _library(text: str, client: str) -> ClientVersion:
    """`deltalake 1.4.2`, or a bare `1.4.2`."""
    number = text.rpartition(" ")[2]
    parsed = parse_version(number, VersionScheme.SEMVER, f"the library beside {client or 'this client'}")
    return ClientVersion(text.strip(), parsed.key)


def _semver(text: str) -> SortKey | None:
    match = _SEMVER.fullmatch(text)
    if match is None:
        return None
    numbers = tuple(int(part or 0) for part in match.groups()[:4])
    if match[5]:
        return (*numbers, _EARLY, int(match[6] or 0))
    return (*numbers, _RELEASED, int(match[7] or 0))


def _integer(text: str) -> SortKey | None:
    return (int(text),) if text.isdigit() else None


def _runtime(text: str) -> SortKey | None:
    match = _RUNTIME.fullmatch(text)
    if match is None:
        return None
    minor = match[2]
    return int(match[1]), 0 if minor is None or minor in "xX" else int(minor)


def _date(text: str) -> SortKey | None:
    match = _DATE.fullmatch(text)
    if match is None or not 1 <= int(match[2]) <= 12 or not 1 <= int(match[3] or 1) <= 31:
        return None
    return tuple(int(part or 1) for part in match.groups())


_PARSERS: dict[VersionScheme, Callable[[str], SortKey | None]] = {
    VersionScheme.SEMVER: _semver,
    VersionScheme.INTEGER: _integer,
    VersionScheme.RUNTIME: _runtime,
    VersionScheme.DATE: _date,
}


@attrs.frozen(slots=True)
class VersionRange(Value):
    """Releases from `first` to `last`, both included; None means open on that side."""

    first: ClientVersion | None = None
    last: ClientVersion | None = None

    def __contains__(self, version: object) -> bool:
        if not isinstance(version, ClientVersion):
            return False
        return (self.first is None or self.first.key <= version.key) and (
            self.last is None or version.key <= self.last.key
        )

    def __str__(self) -> str:
        if self.first is None:
            return "all versions" if self.last is None else f"up to {self.last}"
        return f"from {self.first}" if self.last is None else f"{self.first} to {self.last}"
