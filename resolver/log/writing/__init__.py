"""What is written beside the commits: checkpoints, checksums, compactions; and the clean-up of what expired."""
