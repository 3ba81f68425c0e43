"""Measuring clients: a release in an environment of its own opens, reads and appends to copies of tables."""
