"""What a commit is made from: the table as it was read, the draft, and commits of others that came first."""
