"""Whether something can be written at a local place, asked before hours of work and not after them."""

from __future__ import annotations

import os
from pathlib import Path


def find_obstacle(place: Path) -> str | None:
    """Why neither a file nor a folder can be made or changed at `place`; None where nothing stands in the way."""
    nearest = place.absolute()
    while not nearest.exists():
        nearest = nearest.parent
    if nearest != place.absolute() and not nearest.is_dir():
        return f"{nearest} is not a folder"
    if not os.access(nearest, os.W_OK):
        return f"{nearest} may not be written to"
    return None
