"""Values as Spark has them, in Python: casts, moments and functions."""
