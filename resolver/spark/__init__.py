"""Delta tables in PySpark with no JAR: read, write and stream; the only place that knows pyspark."""
