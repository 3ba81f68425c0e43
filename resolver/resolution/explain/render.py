"""Renders a resolution. It decides nothing: everything it prints is in the resolution already."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deltaresolver.errors import InvalidInputError

if TYPE_CHECKING:
    from deltaresolver.resolution.resolution import Resolution

FORMATS = ("text", "markdown", "json", "mermaid")

UNNAMED_TABLE = "my_table"


def render(resolution: Resolution, form: str, *, table: str | None = None) -> str:
    """The explanation in one of `FORMATS`. Raises `InvalidInputError` for any other.

    `table` stands in SQL for the table; JSON keeps the placeholder `{table}`, as `Remedy` defines it.
    """
    # Every command has a resolution, few print one, and each of those in one form.
    name = table or UNNAMED_TABLE
    if form == "text":
        from deltaresolver.resolution.explain.text import render_text  # noqa: PLC0415

        return render_text(resolution, name)
    if form == "markdown":
        from deltaresolver.resolution.explain.markdown import render_markdown  # noqa: PLC0415

        return render_markdown(resolution, name)
    if form == "json":
        return json.dumps(resolution.to_json(), indent=2)
    if form == "mermaid":
        from deltaresolver.resolution.explain.mermaid import render_mermaid  # noqa: PLC0415

        return render_mermaid(resolution)
    raise InvalidInputError(f"There is no format {form!r}.", fix=f"Use one of {', '.join(FORMATS)}.")
