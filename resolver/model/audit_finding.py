"""What an audit rule says about a table: which rule, how grave, what to do."""

from __future__ import annotations

import enum
from functools import total_ordering
from typing import Any

import msgspec

SILENTLY_WRONG = "silently-wrong"
"""The rule whose findings come first: no error stops the damage that they are about."""


@total_ordering
class Severity(enum.Enum):
    """How grave a finding is, least first."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    def __lt__(self, other: Severity) -> bool:
        """Whether this one is less grave."""
        return _ORDER[self] < _ORDER[other]


_ORDER = {severity: place for place, severity in enumerate(Severity)}


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing worth knowing about one table.

    rule      name of the rule that found it
    message   what was found, one sentence with names and numbers
    remedy    what to do, one imperative sentence
    command   a statement or command line that does it, where there is one
    details   the message's facts as data
    """

    rule: str
    severity: Severity
    message: str
    remedy: str
    command: str | None = None
    details: dict[str, Any] = {}
