"""DDL without an engine: statements of Spark SQL read, and what they change carried out as transactions."""
