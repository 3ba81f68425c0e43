"""A resolution as a mermaid graph: properties and columns, features, what they require, versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from deltaresolver.resolution.explain.phrases import reasons_in_words
from deltaresolver.resolution.reasons import DependencyReason

if TYPE_CHECKING:
    from deltaresolver.resolution.resolution import Resolution

_PLAIN = frozenset(" .,:=-/'")


def escaped(text: str) -> str:
    """Text inside a quoted mermaid label; whatever might mean something to mermaid becomes an entity."""
    line = " ".join(text.split())
    return "".join(char if char.isalnum() or char in _PLAIN else f"#{ord(char)};" for char in line)


class _Numbering:
    """A short identifier for each label, in order of first use: names may hold anything, identifiers may not."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.identifiers: dict[str, str] = {}

    def __call__(self, label: str) -> str:
        return self.identifiers.setdefault(label, f"{self.prefix}{len(self.identifiers) + 1}")


def render_mermaid(resolution: Resolution) -> str:
    """The explanation as a mermaid flowchart, from causes on the left to versions on the right."""
    feature_id, reason_id = _Numbering("feature"), _Numbering("reason")
    edges: list[str] = []
    for one in resolution.explanations:
        name = feature_id(one.feature)
        requirers = (reason.required_by for reason in one.reasons if isinstance(reason, DependencyReason))
        edges.extend(f"{feature_id(requirer)} -->|requires| {name}" for requirer in requirers)
        others = (reason for reason in one.reasons if not isinstance(reason, DependencyReason))
        edges.extend(f"{reason_id(words)} --> {name}" for words in reasons_in_words(others))
    for version in resolution.versions:
        edges.extend(f"{feature_id(name)} --> {version.side}" for name in version.needed_for)
    lines = [
        *_nodes(reason_id.identifiers, '["', '"]'),
        *_nodes(feature_id.identifiers, '(["', '"])'),
        *(_version_node(version.side, version.number) for version in resolution.versions),
        *edges,
        *_styles(feature_id(name) for name in sorted(resolution.added) if resolution.current is not None),
    ]
    return "\n".join(("flowchart LR", *(f"    {line}" for line in lines))) + "\n"


def _nodes(identifiers: dict[str, str], opening: str, closing: str) -> Iterator[str]:
    for label, identifier in identifiers.items():
        yield f"{identifier}{opening}{escaped(label)}{closing}"


def _version_node(side: str, number: int) -> str:
    return f'{side}{{{{"{side} version {number}"}}}}'


def _styles(added: Iterable[str]) -> Iterator[str]:
    names = ",".join(added)
    if names:
        yield "classDef added stroke-width:3px"
        yield f"class {names} added"
