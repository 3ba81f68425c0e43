"""Batch reads and writes of the data source."""
