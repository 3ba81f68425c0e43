"""Which files may hold a row that a predicate is true for, by partition values and statistics."""
