"""Writing: from a DataFrame to Parquet files by Spark's own writer, and to one transaction."""
