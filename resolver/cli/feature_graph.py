"""Which features require which: as a tree of text and as a mermaid graph."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.resolution.explain.mermaid import escaped


def edges(catalog: FeatureCatalog) -> list[dict[str, str]]:
    """Every requirement, as feature and required feature."""
    return [
        {"feature": feature.name, "requires": required} for feature in catalog for required in sorted(feature.requires)
    ]


def as_tree(catalog: FeatureCatalog) -> str:
    """A tree for each feature that requires others and is required by none; then the features that stand alone."""
    required = {name for feature in catalog for name in feature.requires}
    roots = [feature.name for feature in catalog if feature.requires and feature.name not in required]
    alone = [feature.name for feature in catalog if not feature.requires and feature.name not in required]
    lines = [line for root in roots for line in (root, *_below(root, "", catalog))]
    if lines and alone:
        lines.append("")
    if alone:
        lines += ["requiring nothing, required by nothing:", *(f"  {name}" for name in alone)]
    return "\n".join(lines)


def _below(name: str, indent: str, catalog: FeatureCatalog) -> Iterator[str]:
    found = catalog.find(name)
    required = sorted(found.requires) if found is not None else []
    for number, one in enumerate(required, start=1):
        last = number == len(required)
        yield f"{indent}{'└── ' if last else '├── '}{one}"
        yield from _below(one, indent + ("    " if last else "│   "), catalog)


def as_mermaid(catalog: FeatureCatalog) -> str:
    """A mermaid flowchart; an arrow points to what is required."""
    identifiers = {feature.name: f"feature{number}" for number, feature in enumerate(catalog, start=1)}
    lines = ["flowchart LR"]
    lines += [f'    {identifier}(["{escaped(name)}"])' for name, identifier in identifiers.items()]
    lines += [
        f"    {identifiers[edge['feature']]} --> {identifiers[edge['requires']]}"
        for edge in edges(catalog)
        if edge["requires"] in identifiers
    ]
    return "\n".join(lines)
