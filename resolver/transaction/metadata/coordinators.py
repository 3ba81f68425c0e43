"""Properties that name a coordinator of commits: which may be set, with which, and on which tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from deltaresolver.errors import TablePropertyRefusedError
from deltaresolver.model.facts.keys import IN_COMMIT_TIMESTAMPS, TIMESTAMPS_SINCE_TIME, TIMESTAMPS_SINCE_VERSION
from deltaresolver.resolution.instructions import SESSION_PREFIX, TABLE_PREFIX

_PREFIX = "delta.coordinatedCommits."
_NAME, _CONF = f"{_PREFIX}commitCoordinator-preview", f"{_PREFIX}commitCoordinatorConf-preview"
_TABLE_CONF = f"{_PREFIX}tableConf-preview"
_ALL = (_NAME, _CONF, _TABLE_CONF)
_TIMES = (IN_COMMIT_TIMESTAMPS, TIMESTAMPS_SINCE_VERSION, TIMESTAMPS_SINCE_TIME)
_KEPT = "DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS"
_DEPENDENCIES = "COORDINATED_COMMITS_DEPENDENCIES"


def ensure_coordinator_changes(before: Mapping[str, str], to_set: Mapping[str, str], to_unset: Iterable[str]) -> None:
    """ALTER TABLE may change these properties of a table. Raises `TablePropertyRefusedError`."""
    is_coordinated, asked = _first(_ALL, before) is not None, _first(_ALL, to_set)
    if asked is not None and is_coordinated:
        raise _refused(asked, "be set: the table has a coordinator", _KEPT)
    time = _first(_TIMES, to_set)
    if asked is not None and time is not None:
        raise _refused(time, f"be set together with {asked}, which sets it itself", f"DELTA_CANNOT_SET_{_DEPENDENCIES}")
    if asked is not None:
        _ensure_complete(to_set)
    if not is_coordinated:
        return
    unset = tuple(to_unset)
    kept = _first(_ALL, unset)
    if kept is not None:
        raise _refused(kept, "be unset", "DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS")
    time = time or _first(_TIMES, unset)
    if time is not None:
        reason = "be changed: the table's coordinator goes by it"
        raise _refused(time, reason, f"DELTA_CANNOT_MODIFY_{_DEPENDENCIES}")


def ensure_new_coordinator(properties: Mapping[str, str], session: Mapping[str, str], *, is_replaced: bool) -> None:
    """A table may be made with these properties, or with the session's. Raises `TablePropertyRefusedError`."""
    asked = _first(_ALL, properties)
    if asked is not None and is_replaced:
        raise _refused(asked, "be set where a table is replaced", _KEPT)
    if asked is not None:
        _ensure_complete(properties)
    elif not is_replaced:
        defaults = {
            TABLE_PREFIX + key.removeprefix(SESSION_PREFIX) for key in session if key.startswith(SESSION_PREFIX)
        }
        if _first(_ALL, defaults) is not None:
            _ensure_complete(defaults, in_session=True)


def _ensure_complete(keys: Collection[str], *, in_session: bool = False) -> None:
    """A coordinator is named with its configuration, and says itself what the table's is."""
    place = "SESSION" if in_session else "COMMAND"
    if _TABLE_CONF in keys:
        raise _refused(
            _TABLE_CONF, "be set: the coordinator says what it is", f"DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_{place}"
        )
    for missing, given in ((_NAME, _CONF), (_CONF, _NAME)):
        if missing not in keys:
            condition = f"DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_{place}"
            raise _refused(given, f"be set without {missing}", condition)


def _first(wanted: Iterable[str], among: Collection[str]) -> str | None:
    return next((key for key in wanted if key in among), None)


def _refused(key: str, reason: str, condition: str) -> TablePropertyRefusedError:
    return TablePropertyRefusedError(
        f"{key} cannot {reason}.",
        fix="Leave it out, or change the table in a Spark that knows its coordinator.",
        details={"key": key},
        delta_class="DeltaIllegalArgumentException",
        delta_condition=condition,
    )
