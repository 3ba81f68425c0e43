"""What an audit found, as one document: counts, clients, what got worse, what opens most tables."""
