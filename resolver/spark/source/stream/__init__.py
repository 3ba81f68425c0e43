"""Streams from and into the data source."""
