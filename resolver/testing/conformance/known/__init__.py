"""Intended differences from recorded answers, with the reasons."""
