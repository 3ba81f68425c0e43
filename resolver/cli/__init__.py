"""The command `deltaresolver`."""
