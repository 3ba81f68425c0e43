"""The Delta log: stores, listing, codec, checkpoints and replay. Knows nothing of resolution."""
