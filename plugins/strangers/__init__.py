"""Packages of strangers: what their metadata says, and their features with a guard around each of their functions."""
