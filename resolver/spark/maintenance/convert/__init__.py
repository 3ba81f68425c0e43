"""CONVERT TO DELTA: a folder of Parquet files becomes a table where it is."""
