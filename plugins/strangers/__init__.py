"""Packages of other authors: reading their metadata, and calling each function of their features through the guard."""
