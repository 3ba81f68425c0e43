"""Pure functions from a table's metadata to its protocol, with reasons. Takes the catalog as an argument, does no I/O."""
