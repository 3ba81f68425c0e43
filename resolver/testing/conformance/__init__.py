"""Compare this library with recorded answers of other implementations."""
