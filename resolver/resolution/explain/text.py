"""A resolution for a human at a terminal: the answer first, then every reason, then the proof."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from deltaresolver.model.rules import Remedy
from deltaresolver.resolution.explain.objections import condensed
from deltaresolver.resolution.explain.phrases import (
    HALF_LISTED,
    STAYS_LISTED,
    FeatureGroup,
    feature_groups,
    half_listed,
    headline,
    newly_listed,
    pair,
    sql_of,
    still_kept,
    versions_in_words,
)

if TYPE_CHECKING:
    from deltaresolver.resolution.resolution import Resolution

WIDTH = 100


def render_text(resolution: Resolution, table: str) -> str:
    """The explanation as plain text of 100 columns; only SQL statements may be longer."""
    sections = [
        _answer(resolution),
        _features(resolution, table),
        _versions(resolution),
        _proof(resolution),
        _kept(resolution),
    ]
    return "\n\n".join("\n".join(lines) for lines in map(list, sections) if lines) + "\n"


def _answer(resolution: Resolution) -> Iterator[str]:
    yield headline(resolution)
    protocol = resolution.protocol
    if protocol.reader_features is not None:
        yield from _labelled("readers must know", sorted(protocol.reader_features))
    if protocol.writer_features is not None:
        yield from _labelled("writers must know", sorted(protocol.writer_features))
    elif resolution.features:
        yield from _labelled("this implies" if resolution.policy.value == "exact" else "used", resolution.features)
    if resolution.current is not None and resolution.added:
        yield from _labelled("new", sorted(resolution.added))
    if resolution.changed:
        yield from _labelled("now by name", newly_listed(resolution), "(implied by the versions so far)")


def _labelled(label: str, names: Iterable[str], remark: str = "") -> Iterator[str]:
    words = ", ".join(sorted(names))
    if words or not remark:
        yield from _wrapped(f"  {label:<18} ", f"{words or 'nothing by name'} {remark}".rstrip())


def _features(resolution: Resolution, table: str) -> Iterator[str]:
    groups = feature_groups(resolution)
    if groups or resolution.unknown:
        yield "WHY EACH FEATURE"
    for group in groups:
        yield from _feature(group, resolution, table)
    if resolution.unknown:
        yield from _wrapped("- ", ", ".join(sorted(resolution.unknown)))
        yield from _wrapped("    because  ", STAYS_LISTED)


def _feature(group: FeatureGroup, resolution: Resolution, table: str) -> Iterator[str]:
    mark = "+" if group.is_added and resolution.current is not None else "-"
    summary = f": {resolution.catalog.get(group.names[0]).summary}" if len(group.names) == 1 else ""
    yield from _wrapped(f"{mark} ", ", ".join(group.names) + summary)
    for number, reason in enumerate(group.reasons):
        yield from _wrapped("    because  " if number == 0 else "    and      ", reason)
    label = "to undo"
    for kind in group.remedies:
        for remedy in kind.shown:
            yield from _remedy(label, remedy, table)
            label = "and"
        if kind.left_out:
            yield f"    and      {kind.left_out:,} more like these, which the JSON form lists"


def _remedy(label: str, remedy: Remedy, table: str) -> Iterator[str]:
    yield from _wrapped(f"    {label:<8} ", remedy.text)
    statement = sql_of(remedy, table)
    if statement is not None:
        # Never wrapped, so that it can be copied.
        yield f"             {statement}"


def _versions(resolution: Resolution) -> Iterator[str]:
    yield "WHY THESE VERSIONS"
    for sentence in versions_in_words(resolution):
        yield from _wrapped("  ", sentence)


def _kept(resolution: Resolution) -> Iterator[str]:
    """What ending every trigger leaves behind: a protocol never goes down by itself."""
    can_go, stay = still_kept(resolution)
    if not can_go and not stay and not resolution.unknown:
        return
    yield "WHAT STILL KEEPS THE PROTOCOL"
    if can_go:
        yield from _wrapped("  ", f"Until they are dropped: {', '.join(can_go)}.")
    if resolution.unknown:
        yield from _wrapped(
            "  ", f"Until a client that knows them drops them: {', '.join(sorted(resolution.unknown))}."
        )
    if stay:
        yield from _wrapped("  ", f"For good, since they can never be dropped: {', '.join(stay)}.")


def _proof(resolution: Resolution) -> Iterator[str]:
    certificate = resolution.certificate
    if resolution.policy.value != "exact" or not certificate.lower:
        return
    half = half_listed(resolution)
    if half:
        yield "WHAT IS WRONG WITH THE LISTS"
        sentence = f"Features that readers must know belong on both lists, and {' and '.join(half)} is on one alone."
        yield from _wrapped("  ", f"{sentence.replace(' is on', ' are on') if half[1:] else sentence} {HALF_LISTED}")
        return
    if not certificate.is_lowest:
        yield "LOWER WOULD DO"
        sentence = f"Protocol {pair(certificate.lowest_form)} supports exactly the same features."
        yield from _wrapped("  ", f"{sentence} A table keeps the protocol it has until somebody lowers it.")
        return
    yield "WHY NOTHING LOWER WILL DO"
    for objection in condensed(certificate):
        features = ", ".join(objection.features)
        yield from _wrapped(f"  {objection.subject:<28} ", f"{objection.problem} {features}")


def _wrapped(start: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
        break_long_words=False,
    ) or [start.rstrip()]
