"""Sentences and lists that every rendering of a resolution shares, each made from the resolution's values alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import attrs

from deltaresolver.model.protocol import Protocol
from deltaresolver.model.rules import Remedy
from deltaresolver.model.schema import quote_path
from deltaresolver.resolution.explain.visible_text import visible
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.reasons import AlreadySupportedReason, ColumnReason, FeatureExplanation, Reason
from deltaresolver.value import Value

if TYPE_CHECKING:
    from deltaresolver.resolution.resolution import Resolution

SHOWN_COLUMNS = 4
"""How many columns with the same fact are named before the rest is only counted."""

SHOWN_REMEDIES = 3
"""How many remedies of one kind are spelt out before the rest is only counted."""

LONGEST_VALUE = 120

HALF_LISTED = "The specification has no such protocol: some clients refuse the table."

STAYS_LISTED = "listed in the table's protocol; unknown here, so nobody can say what needs it"
"""Why a feature stays that the catalog does not have."""


def pair(protocol: Protocol) -> str:
    """The two versions, as people write them."""
    return f"({protocol.min_reader_version}, {protocol.min_writer_version})"


def listing(names: Iterable[str]) -> str:
    """`a, b and c`."""
    ordered = list(names)
    return " and ".join((", ".join(ordered[:-1]), ordered[-1])) if len(ordered) > 1 else "".join(ordered)


def counted(number: int, noun: str) -> str:
    """`1 table`, `2,000 tables`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shortened(text: str) -> str:
    """One visible line of bounded length: property values may be whole documents."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= LONGEST_VALUE else line[: LONGEST_VALUE - 3] + "..."


def headline(resolution: Resolution) -> str:
    """The answer in one sentence."""
    protocol, current = resolution.protocol, resolution.current
    if current is None:
        return f"A new table gets protocol {pair(protocol)}."
    if not resolution.changed:
        return f"The table's protocol {pair(current)} will do: nothing changes."
    if pair(protocol) == pair(current):
        return f"The table stays at {pair(current)}, but must list more features."
    return f"The table must go from protocol {pair(current)} to {pair(protocol)}."


def newly_listed(resolution: Resolution) -> list[str]:
    """The features that the table's versions implied so far, and that its new protocol lists by name."""
    before = {
        one.feature
        for one in resolution.explanations
        for reason in one.reasons
        if isinstance(reason, AlreadySupportedReason) and not reason.listed
    }
    return sorted(before & resolution.protocol.listed_features)


def still_kept(resolution: Resolution) -> tuple[list[str], list[str]]:
    """The features that no change of the metadata takes from the protocol: those that can be dropped, and the rest.

    One that a feature requires which can never be dropped stays with it.
    """
    kept = sorted(
        one.feature
        for one in resolution.explanations
        if any(isinstance(reason, AlreadySupportedReason) for reason in one.reasons)
    )
    features = {name: resolution.catalog.get(name) for name in kept}
    forever = prepare(resolution.catalog).closure(
        frozenset(name for name, feature in features.items() if not feature.is_removable)
    )
    can_go = [name for name in kept if name not in forever]
    return can_go, [name for name in kept if name not in can_go]


def half_listed(resolution: Resolution) -> list[str]:
    """The features that only one of the protocol's lists names, and that the specification wants on both."""
    listed, whole = resolution.protocol, resolution.certificate.lowest_form
    if not whole.reader_feature_names:
        return []
    on_both = whole.reader_feature_names & whole.writer_feature_names
    return sorted(on_both & (listed.reader_feature_names ^ listed.writer_feature_names))


@attrs.frozen(slots=True)
class RemedyGroup(Value):
    """Remedies that differ only in what they are applied to; those left out are in the JSON."""

    shown: tuple[Remedy, ...]
    left_out: int


@attrs.frozen(slots=True)
class FeatureGroup(Value):
    """Features with the very same reasons and remedies, explained once."""

    names: tuple[str, ...]
    is_added: bool
    reasons: tuple[str, ...]
    remedies: tuple[RemedyGroup, ...]


def feature_groups(resolution: Resolution) -> list[FeatureGroup]:
    """All features: what the table does not support yet first, then by name."""
    groups: dict[tuple[object, ...], list[FeatureExplanation]] = {}
    for one in resolution.explanations:
        groups.setdefault((one.feature in resolution.added, one.reasons, one.remedies), []).append(one)
    made = [_group(members, members[0].feature in resolution.added) for members in groups.values()]
    return sorted(made, key=lambda group: (not group.is_added, group.names))


def _group(members: Sequence[FeatureExplanation], is_added: bool) -> FeatureGroup:
    first = members[0]
    return FeatureGroup(
        tuple(member.feature for member in members),
        is_added,
        tuple(reasons_in_words(first.reasons)),
        tuple(_remedy_groups(first.remedies)),
    )


def _remedy_groups(remedies: Iterable[Remedy]) -> Iterator[RemedyGroup]:
    # "Drop column a: ..." and "Drop column b: ..." begin alike; what follows is what they are applied to.
    for _, same in groupby(remedies, lambda remedy: remedy.text.split(maxsplit=2)[:2]):
        kind = tuple(same)
        shown = (attrs.evolve(remedy, text=visible(remedy.text)) for remedy in kind[:SHOWN_REMEDIES])
        yield RemedyGroup(tuple(shown), len(kind[SHOWN_REMEDIES:]))


def reasons_in_words(reasons: Iterable[Reason]) -> Iterator[str]:
    """One line for each reason; columns of which the same is true share one."""
    for fact, same in groupby(reasons, lambda reason: reason.fact if isinstance(reason, ColumnReason) else None):
        if fact is None:
            yield from (shortened(str(reason)) for reason in same)
        else:
            paths = [quote_path(reason.path) for reason in same if isinstance(reason, ColumnReason)]
            yield shortened(f"{columns_in_words(paths)} ({fact})")


def columns_in_words(paths: Sequence[str]) -> str:
    """`column a`, `columns a and b`, or the first few and how many more."""
    if len(paths) == 1:
        return f"column {paths[0]}"
    if len(paths) <= SHOWN_COLUMNS:
        return f"columns {listing(paths)}"
    return f"columns {', '.join(paths[:SHOWN_COLUMNS])} and {len(paths) - SHOWN_COLUMNS:,} more"


def sql_of(remedy: Remedy, table: str) -> str | None:
    """The statement of a remedy for one table."""
    return None if remedy.sql is None else visible(remedy.sql.replace("{table}", table, 1))


def versions_in_words(resolution: Resolution) -> Iterator[str]:
    """Why each version has its number, and which numbers were asked for but are not reached."""
    yield from (str(version) for version in resolution.versions)
    numbers = (resolution.protocol.min_reader_version, resolution.protocol.min_writer_version)
    for asked, number in zip(resolution.versions_in_effect or (), numbers, strict=False):
        if asked.value > number:
            yield f"{asked} asks for more than the features need"
