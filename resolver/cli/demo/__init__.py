"""The demo: a small lake, told on one screen."""
