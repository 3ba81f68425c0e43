"""What networkx answers about the built-in features, kept in a file: to import networkx takes longer than a command.

An answer is used only where every feature requires what it did when the answer was computed; for any other catalog
networkx is asked. `python -m tests.unit.resolution.keep_closures` writes the file; a test compares it with networkx.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from deltaresolver.model.feature import TableFeature

FILE = "built_in_closures.json"
_NO_NAMES: frozenset[str] = frozenset()


class Kept(msgspec.Struct, frozen=True):
    """The answers of one graph."""

    requires: dict[str, frozenset[str]]
    """For each feature that requires others, those."""
    closures: dict[str, frozenset[str]]
    """For each of them, its closure."""
    asking_order: tuple[str, ...]
    """All features, so that what is required comes first."""


@cache
def kept() -> Kept:
    """What the file holds."""
    return msgspec.json.decode(Path(__file__).with_name(FILE).read_bytes(), type=Kept)


def find_closures(features: Iterable[TableFeature]) -> Mapping[str, frozenset[str]] | None:
    """The closure of each feature, or None where it is not known: a requirement is new, or is unknown here."""
    given = {feature.name: feature.requires for feature in features}
    known = kept()
    for name, requires in given.items():
        if requires != known.requires.get(name, _NO_NAMES) or not requires <= given.keys():
            return None
    return {name: known.closures.get(name) or frozenset((name,)) for name in given}


def find_asking_order(features: Iterable[TableFeature]) -> tuple[str, ...] | None:
    """The features so that what is required comes first, or None where that is not known, as for closures.

    The order of the file holds for any closed part of it, since nothing waits for what is left out; and features
    that nothing requires and that require nothing are merged in by name.
    """
    given = {feature.name: feature.requires for feature in features}
    known = kept()
    for name, requires in given.items():
        if requires != known.requires.get(name, _NO_NAMES) or not requires <= given.keys():
            return None
    order = [name for name in known.asking_order if name in given]
    return tuple(heapq.merge(order, sorted(given.keys() - set(order))))
