"""The table features of Delta Lake, one per file. Each is an ordinary plugin; none has a private door."""
