"""What is known of clients, as pages: one client, all of them, the page of a platform."""
