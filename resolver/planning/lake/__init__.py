"""lake.toml: what the owner of a lake has written down, which every command goes by."""
