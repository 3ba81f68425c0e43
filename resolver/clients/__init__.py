"""Knowledge about clients: their releases, what each can do, and the verdict on a table."""
