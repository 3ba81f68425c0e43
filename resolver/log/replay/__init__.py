"""In-memory replay of a log: the readable reference, and the registries that the specification describes."""
