"""Two made-up table features, one per module."""
