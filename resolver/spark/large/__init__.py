"""Tables whose logs Spark replays: what it chooses of their files, and their partitions."""
