"""A result as Markdown, for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deltaresolver.check.formats.text import summary
from deltaresolver.check.found import CheckResult
from deltaresolver.model.audit_finding import Severity
from deltaresolver.resolution.explain.visible_text import visible

_SIGNS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.INFO: "ℹ️"}  # noqa: RUF001 - the sign itself
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def render(result: CheckResult) -> str:
    """A heading that says how it ended, a table of findings, and one of changes."""
    return "\n".join(_lines(result))


def _lines(result: CheckResult) -> Iterator[str]:
    fails = result.fails(Severity.ERROR)
    yield f"### {'❌' if fails else '✅'} Delta tables: {summary(result)}"
    if result.required:
        yield f"\nClients that must keep working: {', '.join(f'`{one}`' for one in result.required)}"
    if result.findings:
        yield "\n| | where | what would happen | instead |\n|---|---|---|---|"
        for one in result.findings:
            cells = (_SIGNS[one.severity], f"`{_code(str(one.place))}`", f"**{one.rule}** {_plain(one.message)}")
            yield f"| {' | '.join(cells)} | {_plain(one.fix)} |"
    if result.changes:
        yield "\n<details><summary>What would change</summary>\n"
        yield "| where | table | protocol | gets | loses |\n|---|---|---|---|---|"
        for change in result.changes:
            protocol = f"new: {change.after}" if change.before is None else f"{change.before} → {change.after}"
            got = "" if change.before is None else ", ".join(change.added)
            where = f"`{_code(str(change.place))}` | `{_code(change.table)}`"
            yield f"| {where} | {protocol} | {got} | {', '.join(change.removed)} |"
        yield "\n</details>"
    for note in result.notes:
        yield f"\n> {_plain(note)}"


def _plain(text: str) -> str:
    """Text on one line, with everything escaped that Markdown would interpret."""
    return _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def _code(text: str) -> str:
    return " ".join(visible(text).split()).replace("`", "'").replace("|", "\\|")
