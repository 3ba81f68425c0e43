"""Steps of plans that rewrite data files."""
