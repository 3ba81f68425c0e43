"""What is known of clients: their releases, what each can do, and the verdict on a table."""
