"""Conditions in Spark SQL: parsed once, evaluated over values, partition values, statistics and Arrow."""
