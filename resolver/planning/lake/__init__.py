"""lake.toml: rules written by the owner of a lake, which every command follows."""
