"""Statistics of data files, from the footers that their writers left."""
