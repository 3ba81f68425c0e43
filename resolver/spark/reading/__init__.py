"""Reading: from a snapshot to a DataFrame by Spark's own Parquet reader."""
