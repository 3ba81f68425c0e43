"""Every error has a code of its own, is in the tree at the top of errors/__init__.py, and survives pickling."""

from __future__ import annotations

import json
import pickle
import re
import traceback

import pytest

from deltaresolver import errors
from deltaresolver.errors import DeltaResolverError, TableNotFoundError


def all_below(kind: type[DeltaResolverError]) -> list[type[DeltaResolverError]]:
    """A class and everything below it, each once."""
    found = [kind]
    for below in kind.__subclasses__():
        found += [each for each in all_below(below) if each not in found]
    return found


# Tests may define errors of their own; those are not the library's.
CLASSES = [kind for kind in all_below(DeltaResolverError) if kind.__module__.startswith("deltaresolver")]

RETIRED_CODES: frozenset[str] = frozenset()
"""Codes of classes that were removed. A code once shipped is searched for, so it is never given to another class."""


def tree_in_the_docstring() -> list[tuple[str, str | None, int]]:
    """Name, code (`DR1xx` for a group) and depth of every line of the tree."""
    lines = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"    ((?:[│ ]   )*(?:[├└]── )?)([A-Z]\w+Error)(?:\s+(DR\w{3})\b.*)?$", line)
        if found:
            lines.append((found[2], found[3], len(found[1]) // 4))
    return lines


def documented_parents() -> dict[str, str | None]:
    """The parent of each class, as drawn."""
    above: list[str] = []
    parents: dict[str, str | None] = {}
    for name, _, depth in tree_in_the_docstring():
        del above[depth:]
        parents[name] = above[-1] if above else None
        above.append(name)
    return parents


def test_the_tree_shows_every_class_under_its_parent() -> None:
    real = {
        kind.__name__: next((base.__name__ for base in kind.__bases__ if issubclass(base, DeltaResolverError)), None)
        for kind in CLASSES
    }
    assert documented_parents() == real


def test_the_tree_shows_every_code() -> None:
    shown = {name: code for name, code, _ in tree_in_the_docstring() if code is not None}
    real = {
        kind.__name__: f"{kind.code[:3]}xx" if kind.code.endswith("00") else kind.code
        for kind in CLASSES
        if kind is not DeltaResolverError
    }
    assert shown == real


def test_codes_are_unique_and_not_reused() -> None:
    codes = [kind.code for kind in CLASSES]
    assert len(set(codes)) == len(codes)
    assert RETIRED_CODES.isdisjoint(codes)
    assert all(re.fullmatch(r"DR\d{3}", code) for code in codes)


def test_a_code_belongs_to_the_group_of_its_parent() -> None:
    wrong = [
        kind.__name__
        for kind in CLASSES
        for parent in kind.__bases__
        if issubclass(parent, DeltaResolverError) and parent is not DeltaResolverError
        if kind.code[:3] != parent.code[:3]
    ]
    assert wrong == []


def test_all_errors_live_in_one_room_and_are_offered_by_it() -> None:
    assert {kind.__module__.rpartition(".")[0] for kind in CLASSES} == {"deltaresolver.errors"}
    assert {kind.__name__ for kind in CLASSES} == set(errors.__all__)


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_survives_pickling_with_everything_it_carries(kind: type[DeltaResolverError]) -> None:
    details = {"expected": [1, 2], "found": {"nested": None}}
    error = kind("It is broken.", fix="Mend it.", details=details, delta_class="SomeClass", delta_condition="SOME_NAME")
    error.add_note("seen on a worker")
    vars(error)["extra"] = ("kept", 1)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(error, protocol))
        assert type(copy) is kind
        assert vars(copy) == vars(error)
        assert (str(copy), copy.args) == (str(error), error.args)
        assert copy.to_json() == error.to_json()
    assert json.loads(json.dumps(error.to_json()))["details"] == details


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_carries_the_name_that_delta_gives_it(kind: type[DeltaResolverError]) -> None:
    error = kind("It is broken.")
    assert error.delta_class == kind.default_delta_class
    assert error.delta_condition == kind.default_delta_condition
    assert error.delta_condition is None or re.fullmatch(r"[A-Z][A-Z0-9_.]+", error.delta_condition)


def test_an_error_that_nobody_catches_prints_its_fix_and_its_code() -> None:
    error = TableNotFoundError("There is no Delta table at /lake.", fix="Check the path.")
    copy = pickle.loads(pickle.dumps(error))
    for each in (error, copy):
        assert traceback.format_exception_only(each)[-3:] == [
            "deltaresolver.errors.log.TableNotFoundError: There is no Delta table at /lake.\n",
            "fix: Check the path.\n",
            "code: DR410 [DELTA_TABLE_NOT_FOUND]; read more: deltaresolver explain DR410\n",
        ]
        assert str(each) == "There is no Delta table at /lake."


def test_an_error_without_a_fix_and_a_condition_prints_its_code_alone() -> None:
    assert DeltaResolverError("It is broken.").__notes__ == ["code: DR000; read more: deltaresolver explain DR000"]
