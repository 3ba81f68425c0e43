"""Dictionaries and lists that cannot be changed: what is handed to plugins must not be changed under a commit.

They are still `dict` and `list`, so that encoders, comparisons and pickles take them for what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NoReturn


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError("This value is read-only: make a changed copy and return that.")


class FrozenDict(dict[str, Any]):
    """A dictionary that nobody can change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> FrozenDict:
        """Itself: nobody can tell the two apart."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Pickled as the plain dictionary it is made from."""
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A list that nobody can change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = clear = extend = insert = _refuse
    pop = remove = reverse = sort = _refuse

    def __copy__(self) -> FrozenList:
        """Itself: nobody can tell the two apart."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Pickled as the plain list it is made from."""
        return FrozenList, (list(self),)


EMPTY = FrozenDict()


def frozen(value: Any) -> Any:
    """The same JSON value, read-only all the way down."""
    kind = type(value)
    if kind is dict:
        return FrozenDict({key: frozen(item) for key, item in value.items()}) if value else EMPTY
    if kind is list:
        return FrozenList(map(frozen, value))
    return value


def frozen_texts(value: Any) -> Any:
    """A read-only dictionary of plain values in place of one that can be changed; anything else as it is."""
    if type(value) is dict:
        return FrozenDict(value) if value else EMPTY
    return value


def read_only(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A view of a dictionary that cannot be changed through it, without a copy; any other mapping as it is."""
    return MappingProxyType(value) if type(value) is dict else value


class ReadOnly:
    """A base for classes whose instances take their attributes at birth, through `vars(self)`, and keep them."""

    __setattr__ = __delattr__ = _refuse
