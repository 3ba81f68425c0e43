"""MERGE: its clauses, its source, the rows that match and what becomes of them."""
