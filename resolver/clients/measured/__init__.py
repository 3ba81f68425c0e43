"""What was seen of real releases: the runs as data, and the releases around one that is asked about."""
