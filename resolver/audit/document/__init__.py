"""The document of an audit: counts, clients, regressions, and the changes that let a client use most tables."""
