"""The table features of Delta Lake, one per file. Each is an ordinary plugin and uses only the public hooks."""
