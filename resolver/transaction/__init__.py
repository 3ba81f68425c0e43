"""Optimistic transactions: read a version, prepare actions, commit as the next version or say why not."""
