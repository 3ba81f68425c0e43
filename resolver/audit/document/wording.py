"""Sentences about lists of items, and about the ways out for a client."""

from __future__ import annotations

from collections.abc import Iterable

from deltaresolver.model.audit_table import Blocked

FEW = 3


def first_few(items: Iterable[str], noun: str | None = None) -> str:
    """The first few items and how many more there are: `version 3, 4, 5 and 7 more`."""
    every = list(items)
    shown = ", ".join(every[:FEW])
    more = f" and {len(every) - FEW:,} more" if len(every) > FEW else ""
    return f"{noun} {shown}{more}" if noun else f"{shown}{more}"


def ways_out(blocked: Blocked) -> str:
    """The ways out for a client in words, the cheapest first; empty if nothing helps."""
    ways = []
    if blocked.upgrade is not None:
        client, _, version = blocked.release.partition("@")
        ways.append(f"Upgrade {client} {version} to {blocked.upgrade} (0 bytes).".replace("  ", " "))
    if blocked.works_on:
        ways.append(f"Use its path {' or '.join(blocked.works_on)}.")
    if blocked.advice is not None:
        ways.append(blocked.advice)
    return " Or: ".join(ways)
