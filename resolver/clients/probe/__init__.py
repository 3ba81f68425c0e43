"""Measure clients: a release, in its own environment, opens, reads and appends to copies of tables."""
