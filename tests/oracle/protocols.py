"""The meaning of protocols, and the smallest and lowest by trying everything.

Shares no code with `deltaresolver.resolution`, and is written to be read: the definitions of the Delta protocol, then
searches over all possibilities. Usable for a handful of features only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import attrs

from deltaresolver.model.feature import TableFeature

Names = frozenset[str]


@attrs.frozen
class Form:
    """One way to write a protocol down. `readers` and `writers` are None where the version has no list."""

    reader: int
    writer: int
    readers: Names | None = None
    writers: Names | None = None


@attrs.frozen
class Known:
    """One feature, reduced to what decides protocols. `implied_from` is (reader version, writer version) or None."""

    name: str
    for_readers: bool
    requires: Names
    implied_from: tuple[int, int] | None

    @classmethod
    def of(cls, feature: TableFeature) -> Known:
        legacy = feature.legacy
        pair = None if legacy is None else (legacy.reader_version, legacy.writer_version)
        return cls(feature.name, feature.kind.value != "writer", feature.requires, pair)


def known(features: Iterable[TableFeature]) -> tuple[Known, ...]:
    return tuple(Known.of(feature) for feature in features)


# --- definitions ----------------------------------------------------------------------------------


def is_closed(names: Names, features: tuple[Known, ...]) -> bool:
    """Whether every feature's requirements are there too."""
    return all(feature.requires <= names for feature in features if feature.name in names)


def meaning(form: Form, features: tuple[Known, ...]) -> Names | None:
    """The features a protocol supports, or None for one that contradicts itself."""
    if (form.readers is not None) != (form.reader >= 3) or (form.writers is not None) != (form.writer >= 7):
        return None
    if form.writers is None:
        return _implied(form.reader, form.writer, features) if form.readers is None else None
    for feature in features:
        if feature.name in form.writers and not _readers_are_told(feature, form):
            return None
    listed_for_readers = form.readers or frozenset()
    reader_features = {feature.name for feature in features if feature.for_readers}
    return form.writers if listed_for_readers <= form.writers & reader_features else None


def _implied(reader: int, writer: int, features: tuple[Known, ...]) -> Names:
    pairs = {feature.name: feature.implied_from for feature in features}
    return frozenset(name for name, pair in pairs.items() if pair and pair[0] <= reader and pair[1] <= writer)


def _readers_are_told(feature: Known, form: Form) -> bool:
    """Whether the reader side says all a reader must know of a feature that the writer side lists."""
    if not feature.for_readers:
        return True
    if form.readers is not None:
        return feature.name in form.readers
    return feature.implied_from is not None and feature.implied_from[0] <= form.reader


def is_at_most(lower: Form, higher: Form) -> bool:
    """How protocols are ordered: by both versions at once. A lower one keeps out no client that a higher one lets in.

    This is no total order, but among protocols of the same meaning there is always one below all others, and no
    two of the same meaning have the same versions.
    """
    return lower.reader <= higher.reader and lower.writer <= higher.writer


# --- searches -------------------------------------------------------------------------------------


def subsets(names: Iterable[str]) -> Iterator[Names]:
    """All subsets, small ones first."""
    ordered = sorted(names)
    for size in range(len(ordered) + 1):
        yield from map(frozenset, combinations(ordered, size))


def smallest_closed_set(required: Names, features: tuple[Known, ...]) -> Names:
    """The smallest set that is closed and holds `required`; there is only one."""
    names = [feature.name for feature in features]
    fitting = [chosen for chosen in subsets(names) if required <= chosen and is_closed(chosen, features)]
    smallest = [chosen for chosen in fitting if len(chosen) == len(fitting[0])]
    assert len(smallest) == 1, "the smallest set is not unique"
    return smallest[0]


def all_forms(features: tuple[Known, ...]) -> Iterator[Form]:
    """Every protocol of the known versions over these features, contradictory ones included."""
    names = [feature.name for feature in features]
    for reader in (1, 2):
        for writer in range(1, 7):
            yield Form(reader, writer)
    for listed in subsets(names):
        for reader in (1, 2):
            yield Form(reader, 7, None, listed)
        for for_readers in subsets(listed):
            yield Form(3, 7, for_readers, listed)


def lowest_form(wanted: Names, features: tuple[Known, ...]) -> Form:
    """The lowest protocol that means exactly `wanted`."""
    fitting = [form for form in all_forms(features) if meaning(form, features) == wanted]
    lowest = [form for form in fitting if all(is_at_most(form, other) for other in fitting)]
    assert len(lowest) == 1, "there is not one lowest protocol"
    return lowest[0]
