"""Where answers differ on purpose, with the reasons."""
