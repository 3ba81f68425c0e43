"""What features do at metadata changes and commits, where that takes more than a few lines."""
