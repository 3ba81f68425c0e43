"""Several statements as one transaction: what they stage, and what reads inside the block see."""
