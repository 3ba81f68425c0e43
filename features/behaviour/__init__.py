"""Behaviours of features at metadata changes and commits that take more than a few lines of code."""
