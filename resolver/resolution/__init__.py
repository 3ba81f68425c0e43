"""From a table's metadata to its protocol, with reasons: pure functions that take the catalog as an argument."""
