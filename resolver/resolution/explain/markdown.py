"""A resolution as a comment on a pull request: a sentence, a table, and the rest folded away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from deltaresolver.resolution.explain.objections import condensed
from deltaresolver.resolution.explain.phrases import (
    HALF_LISTED,
    STAYS_LISTED,
    FeatureGroup,
    feature_groups,
    half_listed,
    headline,
    listing,
    newly_listed,
    pair,
    sql_of,
    still_kept,
    versions_in_words,
)

if TYPE_CHECKING:
    from deltaresolver.resolution.resolution import Resolution

_SPECIAL = r"[\\`*_\[\]<>#@!|~$&]"
"""What Markdown, HTML or GitHub's references and mentions would take for their own."""


def render_markdown(resolution: Resolution, table: str) -> str:
    """The explanation as GitHub's Markdown."""
    parts = [_heading(resolution), _changes(resolution), _table(resolution, table), _details(resolution)]
    return "\n\n".join("\n".join(lines) for lines in map(list, parts) if lines) + "\n"


def _heading(resolution: Resolution) -> Iterator[str]:
    yield f"### {headline(resolution)}"


def plain(text: str) -> str:
    """Text that reads as it is, also inside a table: as code if anything in it might be taken for markup."""
    return code(text) if re.search(_SPECIAL, text) else " ".join(text.split())


def code(text: str) -> str:
    """Text as code, also inside a table, with a fence longer than any run of backticks within."""
    line = " ".join(text.split()).replace("|", "\\|")
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{padding}{line}{padding}{fence}"


def _names(names: Iterable[str]) -> str:
    return listing(code(name) for name in names)


def _changes(resolution: Resolution) -> Iterator[str]:
    if resolution.current is not None and resolution.added:
        yield f"- New: {_names(sorted(resolution.added))}"
    by_name = newly_listed(resolution) if resolution.changed else []
    if by_name:
        yield f"- Listed by name from now on, implied by the versions so far: {_names(by_name)}"
    if resolution.protocol.reader_features:
        yield f"- Every reader must know {_names(sorted(resolution.protocol.reader_features))}"


def _table(resolution: Resolution, table: str) -> Iterator[str]:
    groups = feature_groups(resolution)
    if not groups and not resolution.unknown:
        return
    yield "| Feature | Why | How to undo it |"
    yield "|---|---|---|"
    for group in groups:
        name = _names(group.names) + (" **new**" if group.is_added and resolution.current is not None else "")
        reasons = "<br>".join(map(plain, group.reasons))
        yield f"| {name} | {reasons} | {'<br>'.join(_remedies(group, table))} |"
    if resolution.unknown:
        yield f"| {_names(sorted(resolution.unknown))} | {plain(STAYS_LISTED)} |  |"


def _remedies(group: FeatureGroup, table: str) -> Iterator[str]:
    for kind in group.remedies:
        for remedy in kind.shown:
            statement = sql_of(remedy, table)
            yield plain(remedy.text) + (f"<br>{code(statement)}" if statement is not None else "")
        if kind.left_out:
            yield f"and {kind.left_out:,} more like these"


def _details(resolution: Resolution) -> Iterator[str]:
    can_go, stay = still_kept(resolution)
    if can_go:
        yield f"- Until they are dropped, the protocol keeps {_names(can_go)}"
    if stay:
        yield f"- For good, since they can never be dropped, it keeps {_names(stay)}"
    if can_go or stay:
        yield ""
    yield "<details><summary>Why these versions, and why nothing lower will do</summary>"
    yield ""
    yield from (f"- {plain(sentence)}" for sentence in versions_in_words(resolution))
    certificate = resolution.certificate
    if resolution.policy.value == "exact":
        half = half_listed(resolution)
        if half:
            yield f"- Only one of the protocol's lists names {_names(half)}. {HALF_LISTED}"
        elif not certificate.is_lowest:
            yield f"- {plain(pair(certificate.lowest_form))} would support exactly the same features"
        else:
            for objection in condensed(certificate):
                yield f"- {plain(objection.subject)} {objection.problem} {_names(objection.features)}"
    yield ""
    yield "</details>"
