"""Checks of what a plugin declares, made when it declares it: the wrong type in a field never gets any further.

Each raises `TypeError` with the name of the field, what it takes and what it was given.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import attrs

MAX_NAMES = 10_000

Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]


def of_type(*kinds: type, optional: bool = False) -> Validator:
    """The field holds an object of one of these types; None, too, where `optional`."""

    def check(instance: object, field: attrs.Attribute[Any], value: object) -> None:
        if optional and value is None:
            return
        # A bool is an int to isinstance, and never meant as one.
        if isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool)):
            return
        raise TypeError(f"{_where(instance, field)} takes {_words(kinds)}, found {_shown(value)}.{_hint(kinds, value)}")

    return check


def names(value: Any) -> frozenset[str]:
    """Names, from any collection of texts but a text. Raises `TypeError`."""
    return frozenset(texts(value))


def texts(value: Any) -> tuple[str, ...]:
    """Texts, from any collection of texts but a text, whose letters nobody means. Raises `TypeError`."""
    if isinstance(value, str):
        raise TypeError(f"Several names are expected, found the one text {value!r}: write ({value!r},).")
    if not isinstance(value, Iterable):
        raise TypeError(f"Several names are expected, found {_shown(value)}.")
    found = tuple(itertools.islice(value, MAX_NAMES + 1))
    if len(found) > MAX_NAMES:
        raise TypeError(f"Names are few; more than {MAX_NAMES:,} came, and it may go on for ever.")
    odd = next((one for one in found if not isinstance(one, str)), None)
    if odd is not None:
        raise TypeError(f"Names are texts, found {_shown(odd)} among them.")
    return found


def _where(instance: object, field: attrs.Attribute[Any]) -> str:
    return f"{type(instance).__name__}.{field.alias or field.name}"


def _words(kinds: tuple[type, ...]) -> str:
    return " or ".join("text" if kind is str else kind.__name__ for kind in kinds)


def _shown(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return f"{value!r}" if isinstance(value, (str, int, float, bool, dict, list, type(None))) else type(value).__name__


def _hint(kinds: tuple[type, ...], value: object) -> str:
    if isinstance(value, type) and issubclass(value, kinds):
        return f" Write {value.__name__}()."
    members = [str(member) for kind in kinds if issubclass(kind, enum.Enum) for member in kind]
    return f" Choose one of {', '.join(members)}." if members else ""
