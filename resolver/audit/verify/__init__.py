"""Whether all that a table consists of is there and whole: its log, its checkpoints, its data files, their vectors."""
