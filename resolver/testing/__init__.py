"""Public kits: what a feature of your own must pass, and the conformance runners."""
