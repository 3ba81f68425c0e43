"""Table properties as ALTER TABLE and CREATE TABLE take them: how keys are spelt, which may be set, and to what."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from deltaresolver.errors import PropertyInvalidError, TablePropertyRefusedError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.keys import CONSTRAINT_PREFIX, MAX_COLUMN_ID
from deltaresolver.resolution.instructions import FEATURE_PREFIX, SESSION_PREFIX, STATUSES, TABLE_PREFIX, is_instruction
from deltaresolver.transaction.metadata.property_values import KNOWN_PROPERTIES, ensure_retentions_fit, ensure_value

COMMENT = "comment"
_UNIVERSAL_CONFIG = "delta.universalformat.config."
_KEPT_BY_THE_TABLE = ("clusteringColumns", MAX_COLUMN_ID)

_ELSEWHERE = {
    "location": "Create a table at the other location.",
    "provider": "Create a table of the other format.",
    "owner": "Set the owner in the catalog.",
    "external": "Decide on that in the catalog.",
    "is_managed_location": "Decide on that in the catalog.",
}


def normalized_keys(keys: Iterable[str], catalog: FeatureCatalog) -> list[str]:
    """The keys as the log spells them: known ones in their own spelling, features in lower case. As `ensure_list`."""
    ensure_list(keys)
    known = catalog.derived(_known)
    return [_normalized(key, known) for key in keys]


def normalized_changes(changes: Mapping[str, str], catalog: FeatureCatalog) -> dict[str, str]:
    """The properties to set, keys as the log spells them. Raises `PropertyInvalidError` for other than texts."""
    _ensure_texts(changes)
    keys = normalized_keys(changes, catalog)
    spelt = [key.lower() if key.lower().startswith(_UNIVERSAL_CONFIG) else key for key in keys]
    return dict(zip(spelt, changes.values(), strict=True))


def ensure_list(names: Iterable[str]) -> None:
    """Raises `PropertyInvalidError` for one text, which Python takes for a list of its letters."""
    if isinstance(names, str):
        raise PropertyInvalidError(
            f"Properties and features are named in a list, found the text '{names:.80}'.",
            fix=f"Write ['{names:.80}'].",
            details={"found": names[:200]},
        )


def _ensure_texts(changes: Mapping[str, str]) -> None:
    """The log has texts alone: with any other value in it nobody could read the table again."""
    if not isinstance(changes, Mapping):
        raise PropertyInvalidError(
            f"Table properties are given as a mapping of names to texts, found {changes!r:.80}.",
            fix="Write {'name': 'value'}.",
            details={"found": repr(changes)[:200]},
        )
    for key, value in changes.items():
        if not (isinstance(key, str) and isinstance(value, str)):
            raise PropertyInvalidError(
                f"{key} is {value!r:.80} ({type(value).__name__}), and the value of a table property is a text.",
                fix="Unset the property instead." if value is None else f"Write '{str(value).lower():.80}'.",
                details={"key": str(key), "value": repr(value)[:200]},
            )


def _normalized(key: str, known: Mapping[str, str]) -> str:
    lowered = key.lower()
    return lowered if lowered.startswith(FEATURE_PREFIX) else known.get(lowered, key)


_FREE = (CONSTRAINT_PREFIX, _UNIVERSAL_CONFIG)
"""Prefixes of keys that are anybody's to choose."""


def _known(catalog: FeatureCatalog) -> Mapping[str, str]:
    names = set(KNOWN_PROPERTIES)
    for feature in catalog:
        if feature.trigger is not None:
            names |= feature.trigger.hints().properties
    return {name.lower(): name for name in names}


def ensure_settable(changes: Mapping[str, str], catalog: FeatureCatalog, *, is_new_table: bool = False) -> None:
    """Every key may be set, to that value. Raises `TablePropertyRefusedError`, `PropertyInvalidError`."""
    known = catalog.derived(_known)
    for key, value in changes.items():
        lowered = key.lower()
        if lowered.startswith(CONSTRAINT_PREFIX) and not is_new_table:
            raise _refused(
                key,
                "is a CHECK constraint, which has to be tested on every row first",
                f"Run ALTER TABLE ... ADD CONSTRAINT {key[len(CONSTRAINT_PREFIX) :]} CHECK ({value}).",
                "DELTA_ADD_CONSTRAINTS",
            )
        ensure_noted_in_the_table((key,), "set")
        if key in _KEPT_BY_THE_TABLE:
            raise _refused(key, "is kept by the table itself", "Leave it out.", "DELTA_CANNOT_MODIFY_TABLE_PROPERTY")
        if lowered.startswith(FEATURE_PREFIX):
            _check_request(key, value, catalog, is_new_table=is_new_table)
        elif lowered.startswith("delta.") and lowered not in known and not lowered.startswith(_FREE):
            raise _unknown(key, known)
        ensure_value(key, value)
    ensure_retentions_fit(changes)


def session_defaults(session: Mapping[str, str], catalog: FeatureCatalog) -> dict[str, str]:
    """The properties of Delta that a session gives every new table, as the log spells them; other names are none.

    Raises `TablePropertyRefusedError` and `PropertyInvalidError` for those that no table may have, whatever the table
    itself says of them.
    """
    known = frozenset(catalog.derived(_known).values())
    defaults = {
        key: value
        for name, value in session.items()
        if name.startswith(SESSION_PREFIX)
        and ((key := TABLE_PREFIX + name.removeprefix(SESSION_PREFIX)) in known or is_instruction(key))
    }
    for key, value in defaults.items():
        if key in _KEPT_BY_THE_TABLE:
            raise _refused(
                f"{SESSION_PREFIX}{key.removeprefix(TABLE_PREFIX)}",
                "is kept by each table itself",
                "Unset it.",
                "DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
            )
        if not is_instruction(key):
            ensure_value(key, value)
    return defaults


def ensure_noted_in_the_table(keys: Iterable[str], change: str) -> None:
    """None of the keys says what a catalog decides, as statements are refused for before they look for their table.

    `change` is what is to be done with them: set or unset. Raises `TablePropertyRefusedError`.
    """
    for key in keys:
        if key.lower() in _ELSEWHERE:
            raise TablePropertyRefusedError(
                f"{key} cannot be {change}: it is not a table property.",
                fix=_ELSEWHERE[key.lower()],
                details={"key": key},
                delta_condition="UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
            )


def _check_request(key: str, status: str, catalog: FeatureCatalog, *, is_new_table: bool) -> None:
    """Ask the feature that is asked for; one with a status that there is not is refused for that, by who reads it."""
    if status.lower() not in STATUSES:
        return
    feature = catalog.find(key[len(FEATURE_PREFIX) :])
    if feature is not None and feature.behaviour is not None:
        feature.behaviour.check_request(key, is_new_table=is_new_table)


def _refused(key: str, reason: str, fix: str, condition: str) -> TablePropertyRefusedError:
    return TablePropertyRefusedError(
        f"{key} cannot be set: it {reason}.", fix=fix, details={"key": key}, delta_condition=condition
    )


def _unknown(key: str, known: Mapping[str, str]) -> TablePropertyRefusedError:
    near = difflib.get_close_matches(key.lower(), known, n=1)
    suggestion = f" (did you mean {known[near[0]]}?)" if near else ""
    return TablePropertyRefusedError(
        f"{key} is not a known Delta property{suggestion}.",
        fix="Correct the name; properties of your own must not begin with delta.",
        details={"key": key, "closest": known[near[0]] if near else None},
        delta_condition="DELTA_UNKNOWN_CONFIGURATION",
    )


def is_known_property(key: str, catalog: FeatureCatalog) -> bool:
    """Whether Delta or a feature gives the key a meaning."""
    return key.lower() in catalog.derived(_known)
