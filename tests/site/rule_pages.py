"""Pages of the reference made from the rules of the audit: one a rule."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from deltaresolver.audit import rules
from deltaresolver.model.audit_rule import AuditRule

FOLDER = Path("docs/reference/rules")


def pages() -> Iterator[tuple[Path, str]]:
    """Every page by its path."""
    found = sorted(_declared(), key=lambda one: one[0].name)
    yield FOLDER / "README.md", "\n".join(_overview([rule for rule, _ in found])) + "\n"
    for rule, module in found:
        yield FOLDER / f"{rule.name}.md", "\n".join(_page(rule, module)) + "\n"


def _declared() -> Iterator[tuple[AuditRule, ModuleType]]:
    for each in pkgutil.iter_modules(rules.__path__):
        module = importlib.import_module(f"{rules.__name__}.{each.name}")
        declared = module.audit_rules()
        for rule in [declared] if isinstance(declared, AuditRule) else declared:
            yield rule, module


def _overview(found: list[AuditRule]) -> Iterator[str]:
    yield from (
        "# Rules",
        "",
        "What an [audit](../../audit.md) looks for. A [lake.toml](../../lake-toml.md) selects rules,",
    )
    yield from ("changes severities and waives findings.", "", "| rule | severity | |", "|---|---|---|")
    yield from (f"| [{rule.name}]({rule.name}.md) | {rule.severity.value} | {rule.title} |" for rule in found)


def _page(rule: AuditRule, module: ModuleType) -> Iterator[str]:
    first, _, rest = (inspect.getdoc(module) or "").partition("\n")
    yield from (f"# {rule.name}", "", "[All rules](README.md)", "", f"{_sentence(first)}", "")
    yield from ([*rest.strip().splitlines(), ""] if rest.strip() else [])
    yield from ("| | |", "|---|---|", f"| severity | {rule.severity.value} |", f"| looks for | {rule.title} |")
    yield from (f"| what to do | {rule.remedy} |", "", "## When", "", *(inspect.getdoc(rule.check) or "").splitlines())
    yield from ("", "## Other severities", "", "In a [lake.toml](../../lake-toml.md):", "")
    yield from ("```toml", "[severity]", f'{rule.name} = "info"', "```")


def _sentence(line: str) -> str:
    text = line.partition(": ")[2] or line
    return text[0].upper() + text[1:]
