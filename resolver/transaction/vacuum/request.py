"""What a VACUUM is asked to do, and whether its retention is long enough to be safe."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping

import attrs
import pyarrow as pa

from deltaresolver.errors import ArgumentInvalidError, VacuumRetentionTooShortError
from deltaresolver.log.upkeep.retention import TOMBSTONE_RETENTION
from deltaresolver.model.rules import read_boolean

_PREFIX = "spark.databricks.delta."
RETENTION_CHECK = _PREFIX + "retentionDurationCheck.enabled"
RETENTION_IGNORED = _PREFIX + "vacuum.retentionWindowIgnore.enabled"
LITE_BY_DEFAULT = _PREFIX + "vacuum.lite.enabled"
LOGGED = _PREFIX + "vacuum.logging.enabled"

HOUR_MS = 3_600_000


class VacuumKind(enum.Enum):
    """How the files to delete are found."""

    FULL = "FULL"
    """By listing the table's folder: finds every file that the table does not need."""
    LITE = "LITE"
    """By reading the log: finds the files that commits removed, without a listing."""

    @classmethod
    def of(cls, name: str | None) -> VacuumKind | None:
        """The kind of this name in any case; None without one. Raises `ArgumentInvalidError`."""
        if name is None:
            return None
        if isinstance(name, str) and name.upper() in cls.__members__:
            return cls[name.upper()]
        raise ArgumentInvalidError(
            f"{name!r} is not a kind of VACUUM.",
            fix="Give FULL or LITE.",
            details={"argument": "kind", "found": str(name)},
        )


@attrs.frozen(slots=True)
class VacuumRequest:
    """A VACUUM as asked for.

    retention_hours  files younger than this stay; None takes delta.deletedFileRetentionDuration
    kind             FULL or LITE; None takes what the session sets, else FULL
    dry_run          delete nothing and commit nothing
    inventory        what to look at instead of the folder's listing: `path`, `length`, `isDir`, `modificationTime`
    """

    retention_hours: float | None = None
    kind: VacuumKind | None = None
    dry_run: bool = False
    inventory: pa.Table | None = None


@attrs.frozen(slots=True)
class VacuumSettings:
    """What a session sets about VACUUM, under the names of delta-spark."""

    checks_retention: bool = True
    ignores_retention: bool = False
    kind: VacuumKind = VacuumKind.FULL
    is_logged: bool = True

    @classmethod
    def from_session(cls, session: Mapping[str, str]) -> VacuumSettings:
        """Defaults where nothing is set. Raises `PropertyInvalidError`."""
        return cls(
            _is_true(session, RETENTION_CHECK, default=True),
            _is_true(session, RETENTION_IGNORED, default=False),
            VacuumKind.LITE if _is_true(session, LITE_BY_DEFAULT, default=False) else VacuumKind.FULL,
            _is_true(session, LOGGED, default=True),
        )


def asked_retention_ms(request: VacuumRequest, settings: VacuumSettings) -> int | None:
    """The retention that was asked for; None where the table's own counts. Raises `ArgumentInvalidError`."""
    hours = request.retention_hours
    if hours is None:
        return None
    if isinstance(hours, bool) or not isinstance(hours, int | float) or not math.isfinite(hours) or hours < 0:
        raise ArgumentInvalidError(
            f"Retention period for Vacuum can't be less than 0 hours or anything but a number, found {hours!r}.",
            fix="Give the retention in hours, 168 for a week, or leave it out.",
            details={"argument": "retention_hours", "found": str(hours)},
            delta_class="DeltaIllegalArgumentException",
            delta_condition="DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE",
        )
    return None if settings.ignores_retention and hours else math.ceil(hours * HOUR_MS)


def chosen_kind(request: VacuumRequest, settings: VacuumSettings) -> VacuumKind:
    """How files are found; an inventory stands for a listing. Raises `ArgumentInvalidError`."""
    if request.inventory is None:
        return request.kind or settings.kind
    if request.kind is VacuumKind.LITE:
        raise ArgumentInvalidError(
            "Inventory option is not compatible with LITE: VACUUM LITE reads the log and looks at no other list.",
            fix="Leave LITE out, or the inventory.",
            details={"argument": "inventory", "found": "LITE"},
            delta_class="DeltaIllegalArgumentException",
        )
    return VacuumKind.FULL


def ensure_retention_is_safe(asked_ms: int | None, configured_ms: int, settings: VacuumSettings, place: str) -> None:
    """Raises `VacuumRetentionTooShortError` for less than the table retains, where the session has that checked."""
    if asked_ms is None or asked_ms >= configured_ms or not settings.checks_retention:
        return
    hours = math.ceil(configured_ms / HOUR_MS)
    raise VacuumRetentionTooShortError(
        f"A retention of {asked_ms / HOUR_MS:g} hours is less than the {hours} hours that {place} retains deleted "
        "files; files of running reads and writes could be deleted.",
        fix=f"Give at least {hours} hours, change {TOMBSTONE_RETENTION}, or, while nothing else uses the table, set "
        f"{RETENTION_CHECK} to false.",
        details={"location": place, "asked_ms": asked_ms, "configured_ms": configured_ms},
    )


def _is_true(session: Mapping[str, str], key: str, *, default: bool) -> bool:
    value = session.get(key)
    return default if value is None else read_boolean(key, value)
