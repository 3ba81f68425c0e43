"""The dependency graph of features: closures, dependents, cycles, orders. An edge points to what is required."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from deltaresolver.model.feature import TableFeature
from deltaresolver.resolution.kept_closures import find_asking_order, find_closures

if TYPE_CHECKING:
    import networkx as nx


def dependency_graph(features: Iterable[TableFeature]) -> nx.DiGraph[str]:
    """One node per feature name, one edge per requirement. Required names that are not features are nodes too."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    for feature in features:
        graph.add_node(feature.name)
        graph.add_edges_from((feature.name, required) for required in sorted(feature.requires))
    return graph


def dependency_closures(features: Iterable[TableFeature]) -> Mapping[str, frozenset[str]]:
    """For each feature, the smallest set that holds it and everything required by a member of the set."""
    features = tuple(features)
    return find_closures(features) or computed_closures(features)


def computed_closures(features: Iterable[TableFeature]) -> Mapping[str, frozenset[str]]:
    """As `dependency_closures`, by networkx whatever is known."""
    import networkx as nx

    graph = dependency_graph(features)
    return {name: frozenset(nx.descendants(graph, name)) | {name} for name in graph}


def dependents(features: Iterable[TableFeature], name: str) -> frozenset[str]:
    """The features that require `name`, directly or through others."""
    features = tuple(features)
    closures = find_closures(features)
    if closures is not None:
        return frozenset(other for other, closure in closures.items() if name in closure and other != name)
    import networkx as nx

    graph = dependency_graph(features)
    return frozenset(nx.ancestors(graph, name)) if name in graph else frozenset()


def shortest_requirement_path(features: Iterable[TableFeature], start: str, end: str) -> tuple[str, ...]:
    """The shortest chain of requirements from `start` to `end`, both included; empty when there is none."""
    import networkx as nx

    graph = dependency_graph(features)
    try:
        return tuple(nx.shortest_path(graph, start, end))
    except (nx.NetworkXNoPath, nx.NodeNotFound):
        return ()


def find_cycles(features: Iterable[TableFeature]) -> tuple[tuple[str, ...], ...]:
    """One cycle per group of features that require each other, each starting at its first name in order."""
    features = tuple(features)
    if find_closures(features) is not None:
        return ()  # they were computed for a graph without any
    import networkx as nx

    graph = dependency_graph(features)
    groups = [group for group in nx.strongly_connected_components(graph) if len(group) > 1]
    groups += [{name} for name in nx.nodes_with_selfloops(graph)]
    return tuple(sorted(_cycle_through(graph.subgraph(group), min(group)) for group in groups))


def _cycle_through(group: nx.DiGraph[str], start: str) -> tuple[str, ...]:
    import networkx as nx

    shortest = min(
        (nx.shortest_path(group, successor, start) for successor in sorted(group.successors(start))),
        key=len,
    )
    return (start, *shortest)


def removal_order(features: Iterable[TableFeature], names: Iterable[str]) -> tuple[str, ...]:
    """`names` so that dependents come before what they require."""
    import networkx as nx

    wanted = frozenset(names)
    graph = dependency_graph(features).subgraph(wanted)
    return tuple(nx.lexicographical_topological_sort(graph))


def asking_order(features: Iterable[TableFeature]) -> tuple[str, ...]:
    """All features so that what is required comes before what requires it; else by name."""
    features = tuple(features)
    return find_asking_order(features) or computed_asking_order(features)


def computed_asking_order(features: Iterable[TableFeature]) -> tuple[str, ...]:
    """As `asking_order`, by networkx whatever is known."""
    import networkx as nx

    known = tuple(features)
    graph = dependency_graph(known).subgraph({feature.name for feature in known})
    return tuple(nx.lexicographical_topological_sort(graph.reverse()))
