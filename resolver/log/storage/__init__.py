"""Where a table's bytes live: one interface, and a store for each kind of storage."""
