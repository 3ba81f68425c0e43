"""What the schemas of Parquet files say, and where in a file they are."""
