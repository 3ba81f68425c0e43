"""How much time and memory one table of an audit may take, and the error for one that took more."""

from __future__ import annotations

import enum
import signal
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import DeltaResolverError, TableEndedProcessError, TableTooLargeError, TableTooSlowError

if TYPE_CHECKING:
    from deltaresolver.planning.lake.lake import Lake

SECONDS = 120
SECONDS_DEEP = 600
MEGABYTES = 4096
ANSWER_MEGABYTES = 2
"""The limit for the audit of one table as JSON; a normal table needs a few kilobytes."""


@attrs.frozen(slots=True)
class Budget:
    """The limits for one table: seconds of wall time, and megabytes of memory above those of an idle process."""

    seconds: float = SECONDS
    megabytes: int = MEGABYTES
    answer_bytes: int = ANSWER_MEGABYTES << 20


def budget_for(lake: Lake | None, *, deep: bool, seconds: float | None, megabytes: int | None) -> Budget:
    """The budget given by the caller, else that of the lake.toml, else the default."""
    of_lake = (None, None) if lake is None else (lake.table_seconds, lake.table_megabytes)
    usual = SECONDS_DEEP if deep else SECONDS
    return Budget(seconds or of_lake[0] or usual, megabytes or of_lake[1] or MEGABYTES)


_LOOK = "Look at its _delta_log for files that are huge or many"


class ExcessKind(enum.Enum):
    """Why a table was given up."""

    TIME = "time"
    MEMORY = "memory"
    ANSWER = "answer"
    ENDED = "ended"


@attrs.frozen(slots=True)
class Excess:
    """A table that was given up: what it had taken by then, and the file opened last, where that is known."""

    cause: ExcessKind
    seconds: float = 0
    megabytes: int = 0
    signal: int = 0
    last_opened: str = ""
    failure: str = ""

    def as_error(self, location: str, budget: Budget) -> DeltaResolverError:
        """The message about the table."""
        did = f" The file opened last was {self.last_opened}." if self.last_opened else ""
        within = f"within {self.seconds:,.1f} seconds"
        details = {
            "location": location,
            "seconds": round(self.seconds, 1),
            "megabytes": self.megabytes,
            "last_opened": self.last_opened or None,
        }
        if self.cause is ExcessKind.TIME:
            return TableTooSlowError(
                f"{location} was given up after {self.seconds:,.1f} seconds, with {self.megabytes:,} MB taken by then; "
                f"a table may take {budget.seconds:,g} seconds.{did}",
                fix=f"{_LOOK}; if they are right, give --table-seconds more.",
                details=details,
            )
        if self.cause is ExcessKind.ENDED:
            return TableEndedProcessError(
                f"{location} ended the process that read it ({self.failure or _told(self.signal)}), "
                f"after {self.seconds:,.1f} seconds.{did}",
                fix="Look at that file, and report it if you can share it.",
                details={**details, "signal": self.signal},
            )
        allowed = f"{budget.megabytes:,} MB of memory"
        took, fix = f"took {self.megabytes:,} MB", f"{_LOOK}; if they are right, give --table-megabytes more."
        if self.cause is ExcessKind.ANSWER:
            allowed = f"{budget.answer_bytes >> 20:,} MB in the document"
            took = f"has {self.megabytes:,} MB of properties, names or history to report"
            fix = "Remove the properties, or the files of its _delta_log, that are this large."
        return TableTooLargeError(
            f"{location} was given up: it {took} {within}, and a table may take {allowed}.{did}",
            fix=fix,
            details=details,
        )


def _told(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "without a signal"
