"""A result as JUnit's XML, which nearly every CI shows: a case for each file and rule, failed by errors."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from deltaresolver.check.found import CheckFinding, CheckResult
from deltaresolver.model.audit_finding import Severity

# What XML 1.0 has no way to write.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(result: CheckResult) -> str:
    """One suite; a check without findings is one case that passed."""
    cases = [_case(one) for one in result.findings] or ['    <testcase classname="deltaresolver" name="check"/>']
    failures = sum(one.severity is Severity.ERROR for one in result.findings)
    counts = f'tests="{len(cases)}" failures="{failures}"'
    return "\n".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites name="deltaresolver check" {counts}>',
            f'  <testsuite name="deltaresolver check" {counts} errors="0" skipped="0">',
            *cases,
            "  </testsuite>",
            "</testsuites>",
        )
    )


def _case(one: CheckFinding) -> str:
    name = _attribute(f"{one.rule} {one.place}")
    told = f"{one.place}: {one.message} {one.fix}".rstrip()
    if one.severity is Severity.ERROR:
        inner = f"<failure message={_attribute(one.message)} type={_attribute(one.rule)}>{_text(told)}</failure>"
    else:
        inner = f"<system-out>{_text(f'{one.severity.value}: {told}')}</system-out>"
    file = _attribute(one.place.file)
    return f'    <testcase classname={file} name={name} file={file} line="{one.place.line}">{inner}</testcase>'


def _attribute(text: str) -> str:
    return _disarmed(quoteattr(_UNWRITABLE.sub("\ufffd", " ".join(text.split()))))


def _text(text: str) -> str:
    # On one line: a CI that shows its log may take a line of somebody's name for a command.
    return _disarmed(escape(_UNWRITABLE.sub("\ufffd", " ".join(text.split()))))


def _disarmed(xml: str) -> str:
    """The same text, in which Azure DevOps finds no command of its own."""
    return xml.replace("##", "#&#35;")
