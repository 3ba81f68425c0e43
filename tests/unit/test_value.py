"""Bases that stand in for the methods attrs would write: each behaves as attrs does."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Iterator
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.value import Printable, Value
from tests import nasty

TEXTS = st.sampled_from(nasty.STRINGS)
SIMPLE = st.none() | st.booleans() | st.integers(-3, 3) | TEXTS


@attrs.frozen(slots=True)
class Ours(Value):
    first: Any
    second: Any = attrs.field(repr=False)
    third: Any = attrs.field(hash=False, repr=str)
    fourth: Any = attrs.field(default=0, eq=False)
    fifth: Any = attrs.field(default="", eq=str.lower)


def _as_attrs_has_it() -> type[Any]:
    @attrs.frozen(slots=True)
    class Ours:
        first: Any
        second: Any = attrs.field(repr=False)
        third: Any = attrs.field(hash=False, repr=str)
        fourth: Any = attrs.field(default=0, eq=False)
        fifth: Any = attrs.field(default="", eq=str.lower)

    return Ours


Theirs = _as_attrs_has_it()
FIELDS = st.tuples(SIMPLE, SIMPLE, SIMPLE, SIMPLE, TEXTS)


@given(FIELDS, FIELDS)
def test_equality_hash_and_text_are_those_of_attrs(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    ours, theirs = [Ours(*one), Ours(*other)], [Theirs(*one), Theirs(*other)]
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert (ours[0] != ours[1]) == (theirs[0] != theirs[1])
    assert [repr(value) for value in ours] == [repr(value) for value in theirs]
    assert ours[0] != theirs[0]
    assert ours[0] == pickle.loads(pickle.dumps(ours[0]))
    if ours[0] == ours[1]:
        assert hash(ours[0]) == hash(ours[1])


def test_a_field_left_out_of_the_hash_is_not_hashed() -> None:
    assert hash(Ours(1, 2, [])) == hash(Ours(1, 2, {}))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Ours([], 2, 3))


def test_what_a_class_defines_itself_is_kept() -> None:
    @attrs.frozen(slots=True)
    class Loud(Value):
        word: str

        def __repr__(self) -> str:
            return self.word.upper()

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Loud)

        def __hash__(self) -> int:
            return 7

    @attrs.frozen(slots=True)
    class Louder(Loud):
        more: int = 0

    assert (repr(Loud("a")), hash(Loud("a")), Loud("a") == Loud("b")) == ("A", 7, True)
    # As attrs has it: a derived class gets methods of its own, for all fields.
    assert repr(Louder("a")).endswith("Louder(word='a', more=0)")
    assert Louder("a") != Louder("b")


def test_a_value_without_fields_equals_another_of_its_class() -> None:
    @attrs.frozen(slots=True)
    class Empty(Value):
        pass

    assert Empty() == Empty()
    assert len({Empty(), Empty()}) == 1


def test_a_value_that_holds_itself_can_be_shown() -> None:
    held: list[Any] = []
    value = Ours(held, 1, 2)
    held.append(value)
    assert "..." in repr(value)


def test_shown_values_are_told_apart_by_identity() -> None:
    @attrs.frozen(slots=True, eq=False)
    class Handle(Printable):
        name: str

    one = Handle("a")
    assert one != Handle("a")
    assert len({one, one}) == 1
    assert repr(one).endswith("Handle(name='a')")


def _derived() -> Iterator[type]:
    for name in ("explain", "history", "impact", "plan"):
        importlib.import_module(f"deltaresolver.cli.commands.{name}")
    waiting = [Printable]
    while waiting:
        found = waiting.pop().__subclasses__()
        yield from (one for one in found if one is not Value and one.__module__.startswith("deltaresolver."))
        waiting += found


def test_values_are_frozen_and_have_no_order_of_their_own() -> None:
    """A value that changes must not be hashed, and attrs compares by `<` only what it compares by `==` itself."""
    for kind in _derived():
        if "__attrs_attrs__" not in vars(kind):
            continue  # what attrs made a class with slots of
        assert "__lt__" not in vars(kind), kind
        if issubclass(kind, Value):
            assert "_frozen_setattrs" in repr(kind.__setattr__), kind
