"""A result as workflow commands of GitHub Actions, which show as annotations on the lines of a pull request."""

from __future__ import annotations

from deltaresolver.check.formats.text import summary
from deltaresolver.check.found import CheckFinding, CheckResult
from deltaresolver.model.audit_finding import Severity
from deltaresolver.resolution.explain.visible_text import visible

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(result: CheckResult) -> str:
    """One command for each finding, and a last line that sums up."""
    # Only a line that begins with :: is a command.
    return "\n".join((*map(_command, result.findings), f"deltaresolver check: {summary(result)}"))


def _command(one: CheckFinding) -> str:
    line, last = one.place.line, one.place.end_line or one.place.line
    where = f"file={_property(one.place.file)},line={line},endLine={last},title={_property(one.rule)}"
    return f"::{_COMMANDS[one.severity]} {where}::{_data(f'{one.message} {one.fix}'.rstrip())}"


def _data(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
