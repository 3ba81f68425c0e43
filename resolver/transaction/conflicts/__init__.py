"""A draft beside the commits that came first: rebased onto them, or the conflict that forbids it."""
