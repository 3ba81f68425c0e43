"""The demo: a small lake, shown on one screen."""
