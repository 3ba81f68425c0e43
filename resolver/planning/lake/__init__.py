"""lake.toml: the rules that the owner of a lake has written down, which every command follows."""
