"""Rendering a resolution. Decides nothing: everything said is in the resolution already."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deltaresolver.errors import InvalidInputError

if TYPE_CHECKING:
    from deltaresolver.resolution.resolution import Resolution

FORMATS = ("text", "markdown", "json", "mermaid")


def render(resolution: Resolution, form: str) -> str:
    """The explanation in one of `FORMATS`. Raises `InvalidInputError` for any other."""
    if form == "json":
        return json.dumps(resolution.to_json(), indent=2)
    raise InvalidInputError(f"There is no format {form!r}.", fix=f"Use one of {', '.join(FORMATS)}.")
