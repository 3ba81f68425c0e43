"""Checkpoints: read, and written as classic or V2 files."""
