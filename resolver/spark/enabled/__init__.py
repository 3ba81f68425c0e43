"""`enable`: a session in which format("delta"), SQL and names mean this library, as with delta-spark's JAR."""
