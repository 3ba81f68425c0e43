"""Problems with plugins as values, and the error that reports all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from deltaresolver.errors import PluginRejectedError
from deltaresolver.model.feature import TableFeature
from deltaresolver.plugins.guard import PluginSource
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class Submission(Value):
    """One feature and its source."""

    feature: TableFeature
    source: PluginSource


@attrs.frozen(slots=True)
class Problem(Value):
    """One reason why a catalog cannot be built. `cause` is the exception of the plugin's code, if there was one."""

    kind: str
    source: PluginSource
    message: str
    fix: str
    feature: str | None = None
    cause: BaseException | None = attrs.field(default=None, eq=False, repr=False, kw_only=True)

    def __str__(self) -> str:
        return f"[{self.kind}] {self.source}: {self.message} {self.fix}"

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON."""
        return {
            "kind": self.kind,
            "plugin": self.source.plugin,
            "package": self.source.package,
            "feature": self.feature,
            "message": self.message,
            "fix": self.fix,
        }


def rejection(problems: Iterable[Problem]) -> PluginRejectedError:
    """The error with all of `problems`; its cause is the first exception that a plugin's code raised."""
    ordered = tuple(sorted(problems, key=lambda p: (p.source.package, p.source.plugin, p.kind, p.message)))
    count = f"{len(ordered)} problem{'s' if len(ordered) > 1 else ''}"
    listing = "".join(f"\n  - {problem}" for problem in ordered)
    error = PluginRejectedError(
        f"The feature catalog cannot be built, {count} found:{listing}",
        problems=ordered,
        fix="Correct or uninstall the plugins named above.",
        details={"problems": [problem.to_json() for problem in ordered]},
    )
    error.__cause__ = next((problem.cause for problem in ordered if problem.cause is not None), None)
    return error


def is_writable(*texts: str) -> bool:
    """Whether these texts can be written as UTF-8: a lone surrogate cannot."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True
