"""Cases as values: files by name. A target draws them and uses them."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

CORPUS = Path(__file__).parent / "corpus"
TEXT = "text"
"""The name of what a case is that has but one file."""

Case = Mapping[str, bytes]


@attrs.frozen
class Target:
    """What is fuzzed: `draw` makes a case of a seed, and `use` does with it all that a user could."""

    name: str
    draw: Callable[[random.Random], Case]
    use: Callable[[Case], None]
    megabytes: int = 1024
    """By which one case may raise the most memory that the process ever held."""

    def case(self, seed: int) -> Case:
        """The case of a seed, the same each time."""
        return self.draw(random.Random(f"{self.name} {seed}"))


def to_text(case: Case) -> str:
    """As JSON: what is UTF-8 as it is, anything else in base 64."""
    return json.dumps({name: _shown(data) for name, data in case.items()}, indent=1) + "\n"


def _shown(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def from_text(text: str) -> Case:
    """The case that `to_text` wrote."""
    content = json.loads(text)
    return {
        name: data.encode() if isinstance(data, str) else base64.b64decode(data["base64"])
        for name, data in content.items()
    }


def corpus_of(target: str) -> list[Path]:
    """The cases that are kept for a target: each found something once."""
    return sorted((CORPUS / target).glob("*.json"))
