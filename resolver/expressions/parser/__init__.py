"""Texts to trees: the only folder that knows sqlglot."""
