"""DELETE, UPDATE and MERGE: rows of a table changed in one transaction."""
