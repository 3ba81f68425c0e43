"""Work on a table that changes none of its rows."""
