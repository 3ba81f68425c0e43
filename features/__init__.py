"""The built-in table features: one plugin a file, through the same door as a stranger's."""
