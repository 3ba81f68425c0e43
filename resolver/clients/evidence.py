"""The evidence behind a verdict. Ranks are ordered: evidence of a higher rank wins."""

from __future__ import annotations

import enum
from functools import total_ordering

import attrs

from deltaresolver.value import Value


@total_ordering
class Rank(enum.Enum):
    """Where knowledge comes from; the surest is first."""

    MEASURED = "measured at this version"
    BETWEEN = "between two measured versions that agree"
    SOURCE = "read in the client's source"
    DOCUMENTS = "stated by documents"
    INFERRED = "inferred"

    place: int

    def __lt__(self, other: Rank) -> bool:
        """Whether this one is less sure."""
        return self.place > other.place


for _place, _rank in enumerate(Rank):
    _rank.place = _place  # hashing a member to look its place up costs more than all else here


@attrs.frozen(slots=True)
class Evidence(Value):
    """A rank, and in words what it rests on.

    `source` is the one place where that was read; empty where it rests on the client's sources as a whole.
    """

    rank: Rank
    basis: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.rank.value}: {self.basis}" if self.basis else self.rank.value


class Act(enum.Enum):
    """The acts of a client on a table."""

    # Members are compared by identity; Enum's own hash is slow Python code, and verdicts look acts up very often.
    __hash__ = object.__hash__

    OPEN = "open"
    """Find the table and its schema."""
    READ = "read"
    """Read all rows."""
    APPEND = "append"
    """Add rows."""


@total_ordering
class Outcome(enum.Enum):
    """The outcomes of an act, best first."""

    WORKS = "works"
    UNKNOWN = "unknown"
    REFUSES = "refuses"
    SILENTLY_WRONG = "silently wrong"
    """No error, and yet wrong rows come back or the table is damaged."""

    place: int

    def __lt__(self, other: Outcome) -> bool:
        """Whether this one is better."""
        return self.place < other.place


for _place, _outcome in enumerate(Outcome):
    _outcome.place = _place
