"""Lines of a log cut at the places where they differ, many at once."""
