"""A made-up table feature that uses all that a plugin can, and a made-up platform that always brings it."""
