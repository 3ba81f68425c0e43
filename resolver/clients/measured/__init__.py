"""Measurements of real releases: the runs as data, and the measured releases around a given one."""
