"""From metadata to the smallest feature set and the lowest protocol: pure, and the only place that knows networkx."""
