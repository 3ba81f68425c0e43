"""A result as text: a line that editors can jump to for each finding, then what would change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from deltaresolver.check.found import CheckResult, ProposedChange
from deltaresolver.resolution.explain.phrases import counted
from deltaresolver.resolution.explain.visible_text import visible


def render(result: CheckResult) -> str:
    """The findings, then the changes, then one line that sums up."""
    return "\n".join(visible(line).replace("\n", " ") for line in _lines(result))


def _lines(result: CheckResult) -> Iterator[str]:
    for one in result.findings:
        yield f"{one.place}: {one.severity.value} {one.rule}: {one.message}"
        if one.fix:
            yield f"    fix: {one.fix}"
    if result.findings:
        yield ""
    for change in result.changes:
        yield change_told(change)
    if result.changes:
        yield ""
    yield summary(result)


def change_told(change: ProposedChange) -> str:
    """One change in words."""
    protocol = change.after if change.before is None else f"{change.before} -> {change.after}"
    told = f"{change.place}: {change.table}{' (new)' if change.before is None else ''} {protocol}"
    if change.before is not None and change.added:
        told += f", gets {', '.join(change.added)}"
    if change.removed:
        told += f", loses {', '.join(change.removed)}"
    return told


def summary(result: CheckResult) -> str:
    """What was looked at and what was found."""
    count = Counter(one.severity.value for one in result.findings)
    found = ", ".join(counted(count[word], word) for word in ("error", "warning") if count[word])
    found = ", ".join(filter(None, (found, f"{count['info']} for information" if count["info"] else "")))
    borne = f"; {counted(len(result.borne), 'finding')} waived" if result.borne else ""
    looked = f"{counted(result.files, 'file')}, {counted(result.statements, 'statement')} about tables"
    return f"{looked}: {found or 'nothing found'}{borne}"
