"""VACUUM: delete the files in a table's folder that no retained version needs, without an engine."""
