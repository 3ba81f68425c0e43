"""Recorded answers of other implementations, asked again of this library."""
