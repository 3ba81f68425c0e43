"""What values compare, hash and show themselves by, without code of their own for each class.

attrs would write these methods for each class and compile them when its module is imported: a sixth of what a short
command took, for methods most of which nobody calls. It leaves alone what a class itself has, so the bases below give
each class that derives from them methods that ask attrs for its fields when they are first called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, ClassVar

import attrs


@recursive_repr()
def _show(value: Any) -> str:
    kind: Any = type(value)
    shown = ", ".join(f"{name}={write(getattr(value, name))}" for name, write in _shown(kind))
    return f"{kind.__qualname__.rsplit('>.', 1)[-1]}({shown})"


def _equal(value: Any, other: Any) -> Any:
    if other.__class__ is not value.__class__:
        return NotImplemented
    fields = _compared(value.__class__)
    return fields(value) == fields(other)


def _hash(value: Any) -> int:
    kind: Any = value.__class__
    return hash((kind, _hashed(kind)(value)))


class Printable:
    """A base for attrs classes: the `repr` that attrs would write."""

    __slots__ = ()
    _from_fields: ClassVar[Mapping[str, Callable[..., Any]]] = {"__repr__": _show}

    def __init_subclass__(cls, **options: Any) -> None:
        """Put the methods into the class itself, where it has none of its own."""
        super().__init_subclass__(**options)
        for name, method in cls._from_fields.items():
            if name not in vars(cls):
                setattr(cls, name, method)


class Value(Printable):
    """A base for frozen attrs classes: equal are two of one class with equal fields, and then they hash alike.

    What a field says by `eq`, `hash` and `repr` holds. As in a tuple, a field's value is equal to itself.
    """

    __slots__ = ()
    _from_fields: ClassVar[Mapping[str, Callable[..., Any]]] = {"__repr__": _show, "__eq__": _equal, "__hash__": _hash}


@cache
def _shown(kind: Any) -> tuple[tuple[str, Callable[[Any], str]], ...]:
    return tuple((field.name, repr if field.repr is True else field.repr) for field in attrs.fields(kind) if field.repr)


@cache
def _compared(kind: Any) -> Callable[[Any], Any]:
    return _values_of(field for field in attrs.fields(kind) if field.eq)


@cache
def _hashed(kind: Any) -> Callable[[Any], Any]:
    return _values_of(field for field in attrs.fields(kind) if (field.eq if field.hash is None else field.hash))


def _values_of(fields: Iterable[Any]) -> Callable[[Any], Any]:
    """What gives the values of these fields: a tuple, or of one field its value."""
    wanted = tuple(fields)
    if any(field.eq_key for field in wanted):
        return lambda value: tuple((field.eq_key or _same)(getattr(value, field.name)) for field in wanted)
    return attrgetter(*(field.name for field in wanted)) if wanted else lambda _: ()


def _same(value: Any) -> Any:
    return value
