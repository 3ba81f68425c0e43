"""Writes what `kept_closures` reads: networkx's answers about the built-in features."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from deltaresolver.defaults import built_in_catalog
from deltaresolver.resolution import kept_closures
from deltaresolver.resolution.graph import computed_asking_order, computed_closures, dependency_graph


def computed() -> dict[str, Any]:
    """The content of the file as it should be. The graph must be free of cycles, which its order proves."""
    features = built_in_catalog().features
    closures = computed_closures(features)
    graph = dependency_graph(features)
    requiring = sorted(name for name in graph if graph.out_degree(name))
    return {
        "requires": {name: sorted(graph.successors(name)) for name in requiring},
        "closures": {name: sorted(closures[name]) for name in requiring},
        "asking_order": list(computed_asking_order(features)),
    }


def main() -> None:
    """Write the file."""
    file = Path(kept_closures.__file__).with_name(kept_closures.FILE)
    file.write_text(json.dumps(computed(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
