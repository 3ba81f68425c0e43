"""What keeps a log small and sound beside its checkpoints: clean-up, compaction, checksums."""
