"""The one form of what commands answer as JSON: an object that begins with the number and the name of its schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from deltaresolver.resolution.explain.visible_text import disarmed_json

FORMAT = 1
"""The number of each schema but the audit's, which has its own. It grows when a field is renamed or taken away."""


def answer_as_json(schema: str, fields: Mapping[str, Any]) -> str:
    """An answer as text; `schema` is the name of its page in docs/schemas."""
    return disarmed_json(json.dumps({"format": FORMAT, "schema": schema, **fields}, indent=2, default=str))


def print_answer(schema: str, fields: Mapping[str, Any]) -> None:
    """Write an answer to standard output."""
    print(answer_as_json(schema, fields))
