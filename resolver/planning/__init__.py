"""What a table demands, which clients meet it, and who breaks when it changes."""
