"""From staged actions to a commit that stands: what is checked and added, and each attempt to write it."""
