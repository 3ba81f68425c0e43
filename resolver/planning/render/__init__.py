"""Impacts and plans as text, Markdown and JSON."""
