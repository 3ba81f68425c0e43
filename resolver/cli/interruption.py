"""Work that somebody interrupted and that can be gone on with."""

from __future__ import annotations


class InterruptedWorkError(Exception):
    """Ctrl-C during work whose text says what is kept and how to go on."""
