"""The data source, for code that knows only DataFrameReader and DataFrameWriter: Spark's Python Data Source API."""
