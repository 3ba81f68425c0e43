"""Audit a lake: one report for thousands of tables."""
