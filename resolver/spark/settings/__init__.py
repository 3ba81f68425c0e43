"""Settings of a session that begin as delta-spark's do: followed, without meaning here, refused, or unknown."""
