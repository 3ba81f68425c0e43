"""The rules that come with this package, one a file; found and loaded like those of any plugin."""
