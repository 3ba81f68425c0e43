"""Check that a table's log, checkpoints, data files and deletion vectors are all there and complete."""
