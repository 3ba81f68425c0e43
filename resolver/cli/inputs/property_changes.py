"""Changes to table properties that a command is asked to try, and what a session brings to a new table."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

import attrs

from deltaresolver.errors import CommandUsageError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.keys import CONSTRAINT_PREFIX, ROW_TRACKING
from deltaresolver.resolution.instructions import (
    FEATURE_PREFIX,
    IGNORE_PROTOCOL_DEFAULTS,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    SESSION_PREFIX,
    is_instruction,
    without_keys,
)
from deltaresolver.value import Value

_PREFIX = "delta."


@attrs.frozen(slots=True)
class Properties(Value):
    """Table properties after some changes, with remarks on changes that do not do what they seem to."""

    values: Mapping[str, str]
    notes: tuple[str, ...] = ()


def _meant(text: str) -> str:
    """What somebody meant who left out the equals sign, or wrote a colon for it."""
    key, _, value = text.partition(":")
    return f"{key.rstrip() or ROW_TRACKING}={value.strip() or 'true'}"


def read_pairs(texts: Iterable[str], option: str) -> dict[str, str]:
    """`key=value` texts as a mapping. Raises `CommandUsageError`, also for a key with two values."""
    pairs: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise CommandUsageError(
                f"{option} {text!r} is not of the form key=value.",
                fix=f"Write {option} {_meant(key.strip())}, or another value.",
                details={"option": option, "text": text},
            )
        earlier = pairs.setdefault(key.strip(), value)
        if earlier != value:
            raise CommandUsageError(
                f"{option} gives {key.strip()} two values, {earlier!r} and {value!r}.",
                fix=f"Give {key.strip()} once.",
                details={"option": option, "key": key.strip(), "values": [earlier, value]},
            )
    return pairs


def changed_properties(
    before: Mapping[str, str], to_set: Mapping[str, str], to_unset: Iterable[str], catalog: FeatureCatalog
) -> Properties:
    """Properties after `ALTER TABLE ... SET TBLPROPERTIES` and `UNSET TBLPROPERTIES`.

    Raises `CommandUsageError` for a property that is to be set and unset.
    """
    known = known_properties(catalog)
    values: dict[str, str] = dict(before)
    notes: list[str] = []
    to_unset = tuple(to_unset)
    for key in to_set.keys() & set(to_unset):
        raise CommandUsageError(
            f"{key} is to be set and unset at once.", fix="Leave out one of the two.", details={"key": key}
        )
    for key in to_unset:
        spelt = key.lower() if key.lower().startswith(FEATURE_PREFIX) else known.get(key.lower(), key)
        left = without_keys(values, (key, spelt))
        if len(left) == len(values):
            near = difflib.get_close_matches(key, before, n=1)
            notes.append(f"{key} is not set, so unsetting it changes nothing{_suggestion(near)}")
        elif key not in values and spelt in values:
            notes.append(f"{key} is taken for {spelt}, as ALTER TABLE does")
        values = left
    for key, value in to_set.items():
        name = known.get(key.lower(), key)
        if name != key:
            notes.append(f"{key} is taken for {name}, as ALTER TABLE does")
        elif key.lower() not in known and not key.lower().startswith((FEATURE_PREFIX, CONSTRAINT_PREFIX)):
            near = difflib.get_close_matches(key.lower(), known, n=1, cutoff=0.85)
            if near:
                notes.append(f"no feature looks at {key}{_suggestion([known[near[0]]])}")
        values[name] = value
    return Properties(values, tuple(notes))


def _suggestion(near: list[str]) -> str:
    return f" (did you mean {near[0]}?)" if near else ""


def known_properties(catalog: FeatureCatalog) -> dict[str, str]:
    """Every property that a feature's trigger or the resolver looks at, by its lower-case name."""
    names = {MIN_READER_VERSION, MIN_WRITER_VERSION, IGNORE_PROTOCOL_DEFAULTS}
    for feature in catalog:
        if feature.trigger is not None:
            names |= feature.trigger.hints().properties
    return {name.lower(): name for name in names}


def with_session_properties(own: Mapping[str, str], session: Mapping[str, str]) -> Properties:
    """The properties of a new table, with those that the session gives every new table.

    Protocol defaults are left to the resolver, which reads them from the session itself.
    """
    values, notes = dict(own), []
    for key, value in session.items():
        name = _PREFIX + key.removeprefix(SESSION_PREFIX)
        if not key.startswith(SESSION_PREFIX):
            notes.append(f"{key} has no part in choosing a protocol; only {SESSION_PREFIX}* has")
        elif not is_instruction(name) and name not in own:
            values[name] = value
            notes.append(f"the session gives the new table {name} = {value}")
    return Properties(values, tuple(notes))
