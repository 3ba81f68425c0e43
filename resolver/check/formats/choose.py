"""The formats by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from deltaresolver.check.formats import github, junit, markdown, sarif, text
from deltaresolver.check.found import CheckResult
from deltaresolver.resolution.explain.visible_text import disarmed_json


def as_json(result: CheckResult) -> str:
    """The whole result as JSON."""
    return disarmed_json(json.dumps(result.to_json(), indent=2, ensure_ascii=False))


FORMATS: Mapping[str, Callable[[CheckResult], str]] = {
    "text": text.render,
    "markdown": markdown.render,
    "json": as_json,
    "sarif": sarif.render,
    "junit": junit.render,
    "github": github.render,
}
