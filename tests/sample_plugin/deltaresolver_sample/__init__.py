"""Three made-up table features and a made-up client, one per module."""
